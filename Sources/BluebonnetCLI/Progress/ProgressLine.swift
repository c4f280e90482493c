// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// Draws the state of a transfer as one line that fits the terminal.
struct ProgressLine {
    /// What is going on, for example `Uploading`.
    var title: String

    /// The width of the terminal in columns.
    var columns: Int

    /// Whether the terminal shows block characters.
    var allowsUnicode: Bool

    /// What is counted.
    var unit = ProgressUnit.bytes

    /// The colours to use.
    var palette = Palette(isEnabled: false)

    private static let widestBar = 30
    private static let narrowestBar = 4

    /// How wide the line may be.
    ///
    /// The last column stays free, because some terminals wrap as soon as it is written, and so do the two that the echo of Ctrl-C takes: where
    /// that wraps, the line cannot be removed.
    private var width: Int { max(0, self.columns - 3) }

    /// The line, never wider than the terminal.
    func text(for meter: ProgressMeter, at now: ContinuousClock.Instant) -> String {
        let width = self.width
        var figures = self.figures(for: meter, at: now)
        var parts = [self.title]
        if let fraction = meter.fraction {
            // Rounded down: 100 % means that every byte is transferred.
            let percent = String(Int((fraction * 100).rounded(.down)))
            parts.append(String(repeating: " ", count: 3 - percent.count) + percent + "%")
        }
        if let fraction = meter.fraction, let room = self.makeRoom(beside: parts, &figures, width) {
            let bar = self.bar(fraction, width: min(Self.widestBar, room))
            return (parts + [bar] + figures).joined(separator: "  ")
        }
        // Too narrow for a bar: leave out what matters least, from the end.
        var all = parts + self.figures(for: meter, at: now)
        while all.count > 1, all.joined(separator: "  ").count > width { all.removeLast() }
        return String(all.joined(separator: "  ").prefix(width))
    }

    /// Leaves out figures until a bar fits: the time that is left first, then the size, then the rate.
    ///
    /// - Returns: How wide the bar may be, without its ends; nil if the line is too narrow for one.
    private func makeRoom(beside parts: [String], _ figures: inout [String], _ width: Int) -> Int? {
        while true {
            // Two blanks before the bar, and its two ends.
            let room = width - (parts + figures).joined(separator: "  ").count - 4
            if room >= Self.narrowestBar { return room }
            guard !figures.isEmpty else { return nil }
            figures.remove(at: figures.count > 2 ? figures.count - 1 : 0)
        }
    }

    /// The line while nothing is transferred.
    func text(waiting elapsed: Duration) -> String {
        String("\(self.title)  \(ByteText.clock(elapsed))".prefix(self.width))
    }

    private func figures(for meter: ProgressMeter, at now: ContinuousClock.Instant) -> [String] {
        var figures = [self.unit.size(meter.completed)]
        if let total = meter.total {
            let size = self.unit.size(total)
            // As wide as the total, so that the bar does not jump when a digit is added.
            let gap = String(repeating: " ", count: max(0, size.count - figures[0].count))
            figures[0] = "\(gap)\(figures[0]) of \(size)"
        }
        if let rate = meter.rate(at: now) { figures.append(self.unit.rate(rate)) }
        if let remaining = meter.remaining(at: now) {
            figures.append("\(ByteText.clock(remaining)) left")
        } else if meter.total == nil {
            figures.append(ByteText.clock(meter.elapsed(at: now)))
        }
        return figures
    }

    private func bar(_ fraction: Double, width: Int) -> String {
        guard self.allowsUnicode else {
            let filled = Int(fraction * Double(width))
            let body = String(repeating: "#", count: filled) + String(repeating: "-", count: width - filled)
            return "[" + self.palette.paint(body, .success) + "]"
        }
        // Eighths of a character move smoothly.
        let eighths = Int(fraction * Double(width) * 8)
        let partial = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
        let filled = String(repeating: "█", count: eighths / 8) + partial
        return "│" + self.palette.paint(filled, .success) + String(repeating: " ", count: width - filled.count) + "│"
    }
}
