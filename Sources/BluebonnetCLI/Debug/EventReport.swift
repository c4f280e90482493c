// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet

/// An observer that prints every event of a call on standard error, with the time since the first one: `--debug`.
///
/// Values of header fields, bodies and queries are omitted, so that the output can be shared.
final class EventReport: SessionObserver {
    private let console: Console
    private let start = ContinuousClock.now

    init(console: Console) {
        self.console = console
        console.report("debug", "bluebonnet \(CommandLineTool.version)")
    }

    func observe(_ event: CallEvent, of call: Call) {
        guard let text = EventText.text(of: event) else { return }
        let elapsed = ByteText.span(self.start.duration(to: .now))
        self.console.report("debug", "+\(elapsed) \(text)")
    }
}
