// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import Testing

@testable import Bluebonnet

@Suite struct PieceTableTests {
    private let start = SessionClock.Instant.now

    private func table(_ byteCount: Int64, _ spans: [(Int64, Int64)] = [], smallest: Int64 = 10) -> PieceTable {
        PieceTable(byteCount: byteCount, written: spans.map { .init(from: $0.0, to: $0.1) }, smallest: smallest)
    }

    /// Takes a piece, after so many seconds.
    private func take(_ table: inout PieceTable, after seconds: Int = 0) throws -> PieceTable.Claim {
        let claim = table.take(now: self.start.advanced(by: .seconds(seconds)))
        return try #require(claim)
    }

    @Test func `pieces are halves of halves, and none is smaller than the smallest`() {
        var table = self.table(100)
        let gaps = (0..<8).map { _ in table.take(now: self.start) }.compactMap { $0 }.map { table.gap($0.index) }
        #expect(gaps.count == 8)
        #expect(table.pieces.allSatisfy { $0.end - $0.from >= 10 })
        let covered = table.pieces.sorted { $0.from < $1.from }
        #expect(covered.first?.from == 0)
        #expect(covered.last?.end == 100)
        #expect(zip(covered, covered.dropFirst()).allSatisfy { $0.end == $1.from })
    }

    @Test func `what is missing between bytes at hand is taken first, and from the beginning`() {
        var table = self.table(100, [(10, 20), (50, 60)])
        let gaps = (0..<3).map { _ in table.take(now: self.start) }.compactMap { $0 }.map { table.gap($0.index) }
        #expect(gaps == [0..<10, 20..<50, 60..<100])
        #expect(table.writtenByteCount == 20)
    }

    @Test func `the piece that will take the longest is divided`() throws {
        var table = self.table(1000)
        let (fast, slow) = (try self.take(&table), try self.take(&table))
        #expect(table.gap(fast.index) == 0..<500)
        #expect(table.gap(slow.index) == 500..<1000)
        // The fast one has less to do in the end, though it has got more.
        table.confirm(table.reserve(100, in: fast.index), in: fast.index)
        table.confirm(table.reserve(10, in: slow.index), in: slow.index)
        let third = try self.take(&table, after: 1)
        #expect(table.gap(third.index).upperBound == 1000)
        #expect(table.gap(slow.index) == 510..<755)
        #expect(table.gap(fast.index) == 100..<500)
    }

    @Test(.bug(id: "F680"), arguments: [Int64.max, Int64.max / 2 + 1])
    func `a smallest piece beyond any length divides nothing`(_ smallest: Int64) throws {
        var table = self.table(100, [(10, 20)], smallest: smallest)
        let gaps = (0..<3).map { _ in table.take(now: self.start) }.compactMap { $0 }.map { table.gap($0.index) }
        #expect(gaps == [0..<10, 20..<100])
    }

    @Test(arguments: [(340, nil), (330, 915..<1000)] as [(Int, Range<Int64>?)])
    func `what will have come in half a second is not divided`(written: Int, half: Range<Int64>?) throws {
        var table = self.table(1000)
        let (fast, slow) = (try self.take(&table), try self.take(&table))
        table.confirm(table.reserve(500, in: fast.index), in: fast.index)
        table.release(fast)
        table.confirm(table.reserve(written, in: slow.index), in: slow.index)
        let next = table.take(now: self.start.advanced(by: .seconds(1)))
        #expect(next.map { table.gap($0.index) } == half)
    }

    @Test func `bytes that are being written are not divided`() throws {
        var table = self.table(100)
        let first = try self.take(&table)
        let reserved = table.reserve(85, in: first.index)
        #expect(reserved == 0..<85)
        let other = table.take(now: self.start)
        #expect(other == nil)
        table.confirm(reserved, in: first.index)
        let last = table.reserve(85, in: first.index)
        #expect(last == 85..<100)
        table.takeBack(85..<100, in: first.index)
        #expect(table.gap(first.index) == 85..<100)
    }

    @Test func `a piece that is not answered may be taken over, and its first receiver is told`() throws {
        var table = self.table(100)
        let (first, second) = (try self.take(&table), try self.take(&table))
        table.answer(first)
        let taken = table.take(behind: first.index, longestSkip: 0, now: self.start)
        #expect(taken?.index == second.index)
        let isWanted = table.answer(second)
        #expect(!isWanted)
        // What it gives back is not its own any more.
        table.release(second)
        #expect(table.pieces[second.index].isTaken)
    }

    @Test func `a piece that was taken over before it was asked for is not asked for`() throws {
        var table = self.table(100)
        let (first, second) = (try self.take(&table), try self.take(&table))
        table.answer(first)
        #expect(table.gap(of: second) == 50..<100)
        table.confirm(table.reserve(50, in: first.index), in: first.index)
        let next = table.take(behind: first.index, longestSkip: 0, now: self.start)
        let taken = try #require(next)
        table.confirm(table.reserve(50, in: taken.index), in: taken.index)
        #expect(table.gap(of: second) == nil)
        #expect(table.gap(of: taken) == 100..<100)
        let isWanted = table.answer(second)
        #expect(!isWanted)
    }

    @Test func `a piece that is answered stays where it is`() throws {
        var table = self.table(100)
        let (first, second) = (try self.take(&table), try self.take(&table))
        table.answer(second)
        let taken = table.take(behind: first.index, longestSkip: .max, now: self.start)
        #expect(taken == nil)
    }

    @Test(arguments: [(5, true), (4, false)])
    func `what is there already is received again only up to a limit`(_ longestSkip: Int64, _ isTaken: Bool) throws {
        var table = self.table(100, [(0, 10), (50, 55)])
        let first = try self.take(&table)
        let taken = table.take(behind: first.index, longestSkip: longestSkip, now: self.start)
        #expect((taken != nil) == isTaken)
    }

    @Test func `a journal's lines are read as they were written, and a broken one counts for nothing`() {
        let spans = [DownloadJournal.Span(from: 0, to: 17), .init(from: 1 << 40, to: .max)]
        var content = PieceRecords.content(Array("{}".utf8), spans)
        #expect(content.count == 64 * 257)
        #expect(Array(PieceRecords.split(content).header.prefix(2)) == Array("{}".utf8))
        #expect(PieceRecords.split(content).spans == spans)
        let offset = Int(PieceRecords.offset(of: 1, inContentOf: content.count))
        content[offset + 3] = UInt8(ascii: "x")
        #expect(PieceRecords.split(content).spans == [spans[0]])
        #expect(PieceRecords.split(Array("{}".utf8)).spans == nil)
    }
}
