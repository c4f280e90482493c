// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// How a file is divided among the responses that deliver it: the positions that are written, being received, and left.
///
/// This is a value without input or output. Every position belongs to one piece. A piece is divided when a receiver has
/// nothing to do, and never joined with another one while a receiver writes to it.
struct PieceTable: Sendable {
    /// Positions that are written from the first to the last.
    struct Piece: Sendable, Equatable {
        /// The start of its written bytes.
        let from: Int64
        /// The end of its written bytes.
        var written: Int64
        /// The end of the bytes that are being written.
        var reserved: Int64
        /// The end of the piece.
        var end: Int64
        /// Whether a receiver has requested it or receives it.
        var isTaken = false
        /// Whether a response delivers it; until then, another receiver may take it over.
        var isAnswered = false
        /// The number of the claim that holds it.
        var claim = 0
        /// When it was taken, and the number of bytes written by then.
        var since: SessionClock.Instant?
        var before: Int64

        init(from: Int64, written: Int64, end: Int64) {
            (self.from, self.written, self.reserved, self.end, self.before) = (from, written, written, end, written)
        }
    }

    /// One receiver's claim to a piece.
    struct Claim: Sendable, Equatable {
        let index: Int
        fileprivate let number: Int
    }

    /// The pieces, in the order in which they were made.
    private(set) var pieces: [Piece]

    let byteCount: Int64

    /// The number of bytes that have been written.
    private(set) var writtenByteCount: Int64

    /// The smallest piece that results from a division.
    private let smallest: Int64

    /// - Parameters:
    ///   - byteCount: The number of bytes of the file.
    ///   - spans: The written ranges, in their order; no two of them touch.
    ///   - smallest: The smallest number of bytes that is worth a request.
    init(byteCount: Int64, written spans: [DownloadJournal.Span], smallest: Int64) {
        var pieces: [Piece] = []
        if spans.first?.from != 0 { pieces.append(Piece(from: 0, written: 0, end: spans.first?.from ?? byteCount)) }
        for (index, span) in spans.enumerated() {
            let end = index + 1 < spans.count ? spans[index + 1].from : byteCount
            pieces.append(Piece(from: span.from, written: span.to, end: end))
        }
        self.pieces = pieces
        self.byteCount = byteCount
        self.writtenByteCount = spans.reduce(0) { $0 + $1.to - $1.from }
        self.smallest = max(smallest, 1)
    }

    /// Whether every byte has been written.
    var isComplete: Bool { self.writtenByteCount == self.byteCount }

    /// The written ranges, by piece.
    var spans: [DownloadJournal.Span] { self.pieces.map { .init(from: $0.from, to: $0.written) } }

    /// The missing range of a piece.
    func gap(_ index: Int) -> Range<Int64> { self.pieces[index].reserved..<self.pieces[index].end }

    /// The missing range of the piece of a claim; nil if another receiver has taken the piece over.
    func gap(of claim: Claim) -> Range<Int64>? {
        self.pieces[claim.index].claim == claim.number ? self.gap(claim.index) : nil
    }

    // MARK: Work

    /// Takes a free piece, or the second half of the one that will take the longest, if that is long enough.
    ///
    /// - Returns: The claim; nil if nothing is left that is worth a request.
    mutating func take(now: SessionClock.Instant) -> Claim? {
        let free = self.pieces.indices.filter { !self.pieces[$0].isTaken && !self.gap($0).isEmpty }
        // The first free piece: bytes that are complete from the beginning can also be used by others.
        guard let index = free.min(by: { self.pieces[$0].from < self.pieces[$1].from }) ?? self.divide(now) else {
            return nil
        }
        return self.begin(index, now)
    }

    /// Takes the piece after another one, if no response delivers it yet, for a response that continues there.
    ///
    /// - Parameters:
    ///   - index: The piece that has been received.
    ///   - longestSkip: The largest number of bytes that may have been written there already: they are received again.
    ///   - now: The time.
    /// - Returns: The claim, which counts as answered; nil if there is no such piece.
    mutating func take(behind index: Int, longestSkip: Int64, now: SessionClock.Instant) -> Claim? {
        let start = self.pieces[index].end
        var end = start
        while let next = self.pieces.firstIndex(where: { $0.from == end && $0.end > end }) {
            let piece = self.pieces[next]
            guard !piece.isTaken || !piece.isAnswered, piece.written - start <= longestSkip else { return nil }
            guard self.gap(next).isEmpty else {
                let claim = self.begin(next, now)
                self.answer(claim)
                return claim
            }
            end = piece.end
        }
        return nil
    }

    /// Marks the piece of a claim as delivered by a response.
    ///
    /// - Returns: Whether the response is needed: false if another receiver has taken the piece over.
    @discardableResult
    mutating func answer(_ claim: Claim) -> Bool {
        guard self.pieces[claim.index].claim == claim.number else { return false }
        self.pieces[claim.index].isAnswered = true
        return true
    }

    /// Releases a piece, complete or not.
    mutating func release(_ claim: Claim) {
        if self.pieces[claim.index].claim == claim.number { self.pieces[claim.index].isTaken = false }
    }

    /// Reserves the next positions of a piece.
    ///
    /// - Returns: As many positions as requested, or as are left in the piece.
    mutating func reserve(_ count: Int, in index: Int) -> Range<Int64> {
        let start = self.pieces[index].reserved
        let end = start + min(Int64(count), max(self.pieces[index].end - start, 0))
        self.pieces[index].reserved = end
        return start..<end
    }

    /// Records that the positions reserved last have been written.
    mutating func confirm(_ range: Range<Int64>, in index: Int) {
        self.pieces[index].written = range.upperBound
        self.writtenByteCount += Int64(range.count)
    }

    /// Records that the positions reserved last could not be written.
    mutating func takeBack(_ range: Range<Int64>, in index: Int) {
        self.pieces[index].reserved = range.lowerBound
    }

    private mutating func begin(_ index: Int, _ now: SessionClock.Instant) -> Claim {
        self.pieces[index].isTaken = true
        self.pieces[index].isAnswered = false
        self.pieces[index].claim += 1
        self.pieces[index].since = now
        self.pieces[index].before = self.pieces[index].written
        return Claim(index: index, number: self.pieces[index].claim)
    }

    // MARK: Division

    /// The shortest remaining time, in seconds, of a piece to be divided: its other half needs a connection, and bytes
    /// in flight are lost.
    private static let shortestRest = 0.5

    private mutating func divide(_ now: SessionClock.Instant) -> Int? {
        // One line is reserved for bytes missing at the beginning, when these pieces are continued.
        guard self.pieces.count < PieceRecords.limit - 1 else { return nil }
        let candidates = self.pieces.indices.filter { self.pieces[$0].isTaken && self.left($0) / 2 >= self.smallest }
        let usual = self.usualRate(now)
        let rests = candidates.map { (index: $0, time: Double(self.left($0)) / (self.rate($0, now) ?? usual)) }
        guard let (slowest, rest) = rests.max(by: { $0.time < $1.time }), rest >= Self.shortestRest else { return nil }
        let middle = self.pieces[slowest].end - self.left(slowest) / 2
        self.pieces.append(Piece(from: middle, written: middle, end: self.pieces[slowest].end))
        self.pieces[slowest].end = middle
        return self.pieces.count - 1
    }

    private func left(_ index: Int) -> Int64 { self.pieces[index].end - self.pieces[index].reserved }

    /// The rate of a piece in bytes per second; nil if too little has arrived to tell.
    private func rate(_ index: Int, _ now: SessionClock.Instant) -> Double? {
        let piece = self.pieces[index]
        guard let since = piece.since, piece.isTaken else { return nil }
        let (count, time) = (piece.written - piece.before, since.duration(to: now) / .seconds(1))
        return count >= self.smallest && time > 0 ? Double(count) / time : nil
    }

    private func usualRate(_ now: SessionClock.Instant) -> Double {
        let rates = self.pieces.indices.compactMap { self.rate($0, now) }
        return rates.isEmpty ? 1 : rates.reduce(0, +) / Double(rates.count)
    }
}
