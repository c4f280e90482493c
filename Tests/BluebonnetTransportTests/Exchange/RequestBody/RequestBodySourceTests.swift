// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization
import Testing

@testable import BluebonnetTransport

/// The turns of a reader: how long they are, what they bring, and in which buffers.
@Suite(.timeLimit(.minutes(1))) struct RequestBodySourceTests {
    /// Gives pieces of given sizes, and notes where it was asked to put them.
    private struct Pieces: TransportBodyReader {
        let log: Log
        var sizes: [Int]
        var failure: (any Error)?
        var willRead: @Sendable (Int) -> Void = { _ in }
        var delayBeforeNextRead = Duration.zero

        mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
            let count = self.log.note(buffer)
            self.willRead(count)
            guard !self.sizes.isEmpty else {
                if let failure { throw failure }
                return 0
            }
            let size = self.sizes.removeFirst()
            if size > 0, size <= buffer.count {
                UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(size)).initializeMemory(
                    as: UInt8.self,
                    repeating: UInt8(ascii: "x")
                )
            }
            return size
        }
    }

    private final class Log: Sendable {
        private let addresses = Mutex([UInt]())

        func note(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
            self.addresses.withLock { addresses in
                addresses.append(UInt(bitPattern: buffer.baseAddress))
                return addresses.count
            }
        }

        var all: [UInt] { self.addresses.withLock { $0 } }
    }

    private struct Broken: Error {}

    /// For readers that are always readable.
    private static let unneeded: @Sendable () -> Void = {}

    private static func source(
        framesChunks: Bool,
        _ makeReader: @escaping @Sendable () throws -> any TransportBodyReader
    ) -> RequestBodySource {
        RequestBodySource(
            .reader(length: nil, isReplayable: true, makeReader: makeReader),
            framesChunks: framesChunks
        )
    }

    /// One turn, as text: the size of each piece, `end` or `failed`, and a full stop behind what is said to be the last.
    private static func turn(_ source: RequestBodySource, room: Int) -> [String] {
        var steps = [String]()
        source.takeTurn(room: room, wake: Self.unneeded) { step, isLast in
            let text =
                switch step {
                case .bytes(_, let count): "\(count)"
                case .end: "end"
                case .failed: "failed"
                case .pause(let delay): "pause of \(delay)"
                case .wait: "wait"
                }
            steps.append(text + (isLast ? "." : ""))
        }
        return steps
    }

    @Test(arguments: [true, false]) func `a turn behind the end of the exchange makes no other reader`(wasRead: Bool) {
        let log = Log()
        let made = Mutex(0)
        let source = Self.source(framesChunks: false) {
            made.withLock { $0 += 1 }
            return Pieces(log: log, sizes: [10, 10, 10])
        }
        if wasRead { #expect(Self.turn(source, room: 1) == ["10."]) }
        source.stop()
        #expect(Self.turn(source, room: 1) == [])
        #expect(made.withLock { $0 } == (wasRead ? 1 : 0))
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var sizes: [Int]
        var room: Int
        var fails = false
        var turns: [[String]]
    }

    private static let read = RequestBodySource.readSize

    static let cases = [
        Case(testDescription: "nothing", sizes: [], room: Self.read, turns: [["end."]]),
        Case(
            testDescription: "room for one, end in the next turn",
            sizes: [5],
            room: Self.read,
            turns: [["5."], ["end."]]
        ),
        Case(testDescription: "a small body and its end", sizes: [5], room: 4 * Self.read, turns: [["5", "end."]]),
        Case(testDescription: "no room", sizes: [1, 2], room: 0, turns: [["1."], ["2."], ["end."]]),
        Case(testDescription: "less than no room", sizes: [1], room: -1, turns: [["1."], ["end."]]),
        Case(
            testDescription: "more room than a turn is long",
            sizes: [1, 2, 3, 4, 5],
            room: .max,
            turns: [["1", "2", "3", "4."], ["5", "end."]]
        ),
        Case(
            testDescription: "room for two and a half",
            sizes: [1, 2, 3],
            room: Self.read * 5 / 2,
            turns: [["1", "2."], ["3", "end."]]
        ),
        Case(testDescription: "an error", sizes: [1], room: .max, fails: true, turns: [["1", "failed."]]),
        Case(testDescription: "as much as fits", sizes: [Self.read], room: .max, turns: [["\(Self.read)", "end."]]),
        Case(testDescription: "more than fits", sizes: [Self.read + 1], room: .max, turns: [["failed."]]),
        Case(testDescription: "less than nothing", sizes: [-1], room: .max, turns: [["failed."]]),
    ]

    @Test(arguments: cases, [false, true])
    func `a turn brings what there is room for`(one: Case, framesChunks: Bool) {
        let source = Self.source(framesChunks: framesChunks) {
            Pieces(log: Log(), sizes: one.sizes, failure: one.fails ? Broken() : nil)
        }
        for turn in one.turns { #expect(Self.turn(source, room: one.room) == turn) }
    }

    @Test func `a reader that wants to wait ends its turn with the delay`() {
        let source = Self.source(framesChunks: false) {
            Pieces(log: Log(), sizes: [1, 2], delayBeforeNextRead: .seconds(3))
        }
        for expected in [["1", "pause of 3.0 seconds."], ["2", "pause of 3.0 seconds."], ["end."]] {
            #expect(Self.turn(source, room: .max) == expected)
        }
    }

    /// A reader with a piece for each time that it was woken.
    private struct Waiting: TransportBodyReader {
        final class Gate: Sendable {
            let wakeCount = Mutex(0)
            let isOpen = Mutex(false)
            let notify = Mutex<(@Sendable () -> Void)?>(nil)
        }

        let gate: Gate

        mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
            self.gate.isOpen.withLock { $0 = false }
            return 1
        }

        var isReadable: Bool { self.gate.isOpen.withLock { $0 } }

        func whenReadable(_ notify: @escaping @Sendable () -> Void) { self.gate.notify.withLock { $0 = notify } }
    }

    @Test func `a reader that has nothing yet ends its turn, and asks for the next one`() {
        let gate = Waiting.Gate()
        let wake: @Sendable () -> Void = { gate.wakeCount.withLock { $0 += 1 } }
        let source = Self.source(framesChunks: false) { Waiting(gate: gate) }
        for number in 1...3 {
            var steps: [String] = []
            source.takeTurn(room: .max, wake: wake) { step, isLast in
                let name = if case .wait = step { "wait" } else { "piece" }
                steps.append("\(name) \(isLast)")
            }
            #expect(steps == (number == 1 ? ["wait true"] : ["piece false", "wait true"]))
            gate.isOpen.withLock { $0 = true }
            gate.notify.withLock { $0.take() }?()
            #expect(gate.wakeCount.withLock { $0 } == number)
        }
    }

    @Test func `a reader that cannot be made is a failure`() {
        let source = Self.source(framesChunks: false) { throw Broken() }
        #expect(Self.turn(source, room: .max) == ["failed."])
    }

    @Test(arguments: [(1, "1\r\nx\r\n"), (16, "10\r\n\(String(repeating: "x", count: 16))\r\n")])
    func `a chunk has its size in front and its end behind`(count: Int, text: String) {
        let source = Self.source(framesChunks: true) { Pieces(log: Log(), sizes: [count]) }
        source.takeTurn(room: 0, wake: Self.unneeded) { step, _ in
            guard case .bytes(let bytes, count) = step else {
                Issue.record("\(step)")
                return
            }
            #expect(String(buffer: bytes) == text)
        }
    }

    @Test func `the largest chunk has room for its size line`() {
        let source = Self.source(framesChunks: true) { Pieces(log: Log(), sizes: [Self.read]) }
        source.takeTurn(room: 0, wake: Self.unneeded) { step, _ in
            guard case .bytes(let bytes, _) = step else {
                Issue.record("\(step)")
                return
            }
            #expect(bytes.getString(at: bytes.readerIndex, length: 7) == "20000\r\n")
            #expect(bytes.readableBytes == 7 + Self.read + 2)
        }
    }

    @Test(arguments: [false, true])
    func `buffers are filled again where they lie, at even addresses`(framesChunks: Bool) {
        let log = Log()
        let source = Self.source(framesChunks: framesChunks) {
            Pieces(log: log, sizes: Array(repeating: Self.read, count: 12))
        }
        for _ in 0..<3 {
            var turn = [ByteBuffer]()
            source.takeTurn(room: .max, wake: Self.unneeded) { step, _ in
                if case .bytes(let bytes, _) = step { turn.append(bytes) }
            }
            #expect(turn.count == 4)
            while let bytes = turn.popLast() { source.recycle(bytes) }
        }
        #expect(log.all.count == 12)
        #expect(Set(log.all).count == 4)
        #expect(log.all.allSatisfy { $0 % 16 == 0 })
    }

    @Test func `a piece is handed out before the next is read`() {
        let log = Log()
        let delivered = Atomic(0)
        let source = Self.source(framesChunks: false) {
            Pieces(log: log, sizes: [1, 1, 1]) { number in
                #expect(delivered.load(ordering: .relaxed) == number - 1)
            }
        }
        source.takeTurn(room: .max, wake: Self.unneeded) { step, _ in
            if case .bytes = step { delivered.add(1, ordering: .relaxed) }
        }
        #expect(delivered.load(ordering: .relaxed) == 3)
        #expect(log.all.count == 4)
    }

    @Test(arguments: 1...4)
    func `a turn ends with the read during which the body is given up`(number: Int) {
        let log = Log()
        let stopped = Mutex<RequestBodySource?>(nil)
        let source = Self.source(framesChunks: false) {
            Pieces(log: log, sizes: Array(repeating: 1, count: 20)) { count in
                if count == number { stopped.withLock { $0 }?.stop() }
            }
        }
        stopped.withLock { $0 = source }
        let steps = Self.turn(source, room: .max)
        #expect(log.all.count == number)
        #expect(steps.count == number)
        stopped.withLock { $0 = nil }
    }

    @Test func `the reader is let go when the body is given up between turns`() {
        final class Token: Sendable {}
        struct Holder: TransportBodyReader {
            let token: Token
            mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int { 1 }
        }
        weak var weakToken: Token?
        let source: RequestBodySource
        do {
            let token = Token()
            weakToken = token
            let first = Mutex<Token?>(token)
            source = Self.source(framesChunks: false) {
                Holder(token: first.withLock { $0.take() } ?? Token())
            }
        }
        #expect(Self.turn(source, room: 0) == ["1."])
        #expect(weakToken != nil)
        source.stop()
        #expect(weakToken == nil)
    }
}
