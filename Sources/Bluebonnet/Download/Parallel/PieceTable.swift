// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// How a file is divided among the responses that bring it: which positions have been written, which are being received, and which are left.
///
/// A value without input or output. Every position belongs to one piece; a piece is divided when somebody has nothing to do, and never joined
/// with another one while somebody writes to it.
struct PieceTable: Sendable {
    /// Positions that are written from the first to the last.
    struct Piece: Sendable, Equatable {
        /// Where its written bytes begin.
        let from: Int64
        /// Where they end.
        var written: Int64
        /// Where those end that are being written.
        var reserved: Int64
        /// Where the piece ends.
        var end: Int64
        /// Whether somebody receives it, or has asked for it.
        var isTaken = false
        /// Whether a response brings it; until then, another receiver may take it over.
        var isAnswered = false
        /// The number of the claim that holds it.
        var claim = 0
        /// Since when, and how much had been written then.
        var since: SessionClock.Instant?
        var before: Int64

        init(from: Int64, written: Int64, end: Int64) {
            (self.from, self.written, self.reserved, self.end, self.before) = (from, written, written, end, written)
        }
    }

    /// The right of one receiver to a piece.
    struct Claim: Sendable, Equatable {
        let index: Int
        fileprivate let number: Int
    }

    /// The pieces, in the order in which they were made.
    private(set) var pieces: [Piece]

    /// The number of bytes of the file.
    let byteCount: Int64

    /// How many of them have been written.
    private(set) var writtenByteCount: Int64

    /// A piece is not divided into smaller ones.
    private let smallest: Int64

    /// - Parameters:
    ///   - byteCount: The number of bytes of the file.
    ///   - spans: What has been written, in its order; no two of them touch.
    ///   - smallest: The bytes of a piece that is worth a request of its own.
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

    /// What has been written, piece by piece.
    var spans: [DownloadJournal.Span] { self.pieces.map { .init(from: $0.from, to: $0.written) } }

    /// What is missing of a piece.
    func gap(_ index: Int) -> Range<Int64> { self.pieces[index].reserved..<self.pieces[index].end }

    /// What is missing of the piece of a claim; nil if another receiver has taken the piece over.
    func gap(of claim: Claim) -> Range<Int64>? {
        self.pieces[claim.index].claim == claim.number ? self.gap(claim.index) : nil
    }

    // MARK: Work

    /// Takes a piece that nobody receives, or the second half of the one that will take the longest, if that is long enough.
    ///
    /// - Returns: The claim; nil if there is nothing left that would be worth a request.
    mutating func take(now: SessionClock.Instant) -> Claim? {
        let free = self.pieces.indices.filter { !self.pieces[$0].isTaken && !self.gap($0).isEmpty }
        // The first one: what is complete from the beginning is of use to others, too.
        guard let index = free.min(by: { self.pieces[$0].from < self.pieces[$1].from }) ?? self.divide(now) else {
            return nil
        }
        return self.begin(index, now)
    }

    /// Takes the piece behind another one, if no response brings it yet, for one that goes on there.
    ///
    /// - Parameters:
    ///   - index: The piece that has been received.
    ///   - longestSkip: How many bytes at most may have been written there already: they are received again.
    ///   - now: The time.
    /// - Returns: The claim, which is answered; nil if there is no such piece.
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

    /// A response brings the piece of a claim.
    ///
    /// - Returns: Whether it is wanted: not if another receiver has taken the piece over.
    @discardableResult
    mutating func answer(_ claim: Claim) -> Bool {
        guard self.pieces[claim.index].claim == claim.number else { return false }
        self.pieces[claim.index].isAnswered = true
        return true
    }

    /// Gives a piece back, complete or not.
    mutating func release(_ claim: Claim) {
        if self.pieces[claim.index].claim == claim.number { self.pieces[claim.index].isTaken = false }
    }

    /// Reserves the next positions of a piece.
    ///
    /// - Returns: As many as wanted, or as the piece has left.
    mutating func reserve(_ count: Int, in index: Int) -> Range<Int64> {
        let start = self.pieces[index].reserved
        let end = start + min(Int64(count), max(self.pieces[index].end - start, 0))
        self.pieces[index].reserved = end
        return start..<end
    }

    /// The positions reserved last have been written.
    mutating func confirm(_ range: Range<Int64>, in index: Int) {
        self.pieces[index].written = range.upperBound
        self.writtenByteCount += Int64(range.count)
    }

    /// The positions reserved last could not be written.
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

    /// The seconds that a piece must have left to be divided: its other half needs a connection, and what was sent of it already is lost.
    private static let shortestRest = 0.5

    private mutating func divide(_ now: SessionClock.Instant) -> Int? {
        // One line is for what is missing in front of the first bytes, when these pieces are continued.
        guard self.pieces.count < PieceRecords.limit - 1 else { return nil }
        let candidates = self.pieces.indices.filter { self.pieces[$0].isTaken && self.left($0) >= 2 * self.smallest }
        let usual = self.usualRate(now)
        let rests = candidates.map { (index: $0, time: Double(self.left($0)) / (self.rate($0, now) ?? usual)) }
        guard let (slowest, rest) = rests.max(by: { $0.time < $1.time }), rest >= Self.shortestRest else { return nil }
        let middle = self.pieces[slowest].end - self.left(slowest) / 2
        self.pieces.append(Piece(from: middle, written: middle, end: self.pieces[slowest].end))
        self.pieces[slowest].end = middle
        return self.pieces.count - 1
    }

    private func left(_ index: Int) -> Int64 { self.pieces[index].end - self.pieces[index].reserved }

    /// The bytes that a piece gets in a second; nil if it has not got enough to tell.
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
