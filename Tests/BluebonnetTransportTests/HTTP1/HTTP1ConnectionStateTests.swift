// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@testable import BluebonnetTransport

/// The decisions on a connection of HTTP/1.1, event by event.
@Suite struct HTTP1ConnectionStateTests {
    typealias State = HTTP1ConnectionState<Int>

    static let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    static func entry(
        _ number: Int,
        hasBody: Bool = false,
        awaitsContinue: Bool = false,
        asksForClose: Bool = false,
        timeouts: Timeouts = Timeouts(),
        total: NIODeadline? = nil
    ) -> State.Entry {
        State.Entry(
            number,
            hasBody: hasBody,
            awaitsContinue: awaitsContinue,
            asksForClose: asksForClose,
            clock: StageClock(timeouts, total: total, now: Self.start)
        )
    }

    /// A state with one exchange in progress whose request is out, and others behind it.
    static func line(_ count: Int, timeouts: Timeouts = Timeouts()) -> State {
        var state = State()
        for number in 0..<count {
            _ = state.begin(Self.entry(number, timeouts: timeouts), now: Self.start)
            if number == 0 { state.noteRequestSent() }
        }
        return state
    }

    /// The earliest deadline; a check that is due while a body is sent is later.
    static func deadline(_ state: borrowing State) -> NIODeadline? { state.nextLook(after: Self.start + .hours(1)) }

    // MARK: The end of a response

    struct Ending: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var count = 1
        var keepsConnection = true
        var asksForClose = false
        var isSent = true
        var rest = 0
        var isVersion11 = true
        var isOpen = true
        var expected: String
        var mayPipeline = true
    }

    static let endings: [Ending] = [
        Ending(testDescription: "a response that lets the connection go on", expected: "release"),
        Ending(
            testDescription: "HTTP/1.0 with keep-alive",
            isVersion11: false,
            expected: "release",
            mayPipeline: false
        ),
        Ending(testDescription: "the last response", keepsConnection: false, expected: "close []", mayPipeline: false),
        Ending(testDescription: "the last request", asksForClose: true, expected: "close []", mayPipeline: false),
        Ending(testDescription: "a request that is not out", isSent: false, expected: "close []", mayPipeline: false),
        Ending(testDescription: "bytes behind it", rest: 1, expected: "close []"),
        Ending(testDescription: "a channel that is gone", isOpen: false, expected: "close []"),
        Ending(testDescription: "one behind it", count: 2, expected: "turn 1"),
        Ending(testDescription: "one behind it whose response has begun", count: 2, rest: 9, expected: "turn 1"),
        Ending(
            testDescription: "one behind it, on a channel that is gone",
            count: 2,
            isOpen: false,
            expected: "drain 1"
        ),
        Ending(
            testDescription: "the last response, before two",
            count: 3,
            keepsConnection: false,
            expected: "close [1, 2]",
            mayPipeline: false
        ),
    ]

    @Test(arguments: endings) func `what becomes of a connection after a response`(_ one: Ending) throws {
        var state = State()
        for number in 0..<one.count {
            _ = state.begin(Self.entry(number, asksForClose: one.asksForClose && number == 0), now: Self.start)
        }
        if one.isSent { state.noteRequestSent() }
        #expect(state.received(now: Self.start) == true)
        _ = try state.head(200, byteCount: 0, keepsConnection: one.keepsConnection)
        let end = state.end(rest: one.rest, isVersion11: one.isVersion11, isOpen: one.isOpen, now: Self.start)
        let (ended, ending) = try #require(end)
        #expect(ended.io == 0)
        #expect(Self.text(ending) == one.expected)
        #expect(state.mayPipeline == one.mayPipeline)
        #expect(state.isReused == true)
        if let next = state.active { #expect(next.hasResponse == (one.rest > 0)) }
    }

    static func text(_ ending: State.Ending) -> String {
        switch ending {
        case .release: "release"
        case .turn(let next): "turn \(next.io)"
        case .drain(let next): "drain \(next.io)"
        case .close(let behind): "close \(behind.map(\.io))"
        }
    }

    // MARK: Heads

    @Test(
        .bug(id: "F346"),
        arguments: [
            (200, false, true, false), (200, false, false, false), (299, false, false, false),
            (300, false, true, false),
            (300, false, false, true), (401, false, true, false), (401, false, false, true), (413, false, true, false),
            (500, false, false, true), (200, true, true, true), (417, true, true, true),
            // The connection is not used any more, whatever the proxy says.
            (407, false, true, true),
        ]
    ) func `a body that the peer does not want is not sent any further`(
        _ status: Int,
        _ awaitsContinue: Bool,
        _ keepsConnection: Bool,
        _ stopsBody: Bool
    ) throws {
        var state = State()
        let entry = Self.entry(0, hasBody: true, awaitsContinue: awaitsContinue)
        #expect(state.begin(entry, now: Self.start) == .send)
        let head = try state.head(status, byteCount: 9, keepsConnection: keepsConnection)
        #expect(head == .deliver(stopsBody: stopsBody))
        #expect(state.endHolding(now: Self.start)?.io == nil, "its wait is over")
    }

    @Test func `a body that is held back is sent once, when the peer asks for it or the wait is over`() {
        var state = State()
        _ = state.begin(Self.entry(0, hasBody: true, awaitsContinue: true), now: Self.start)
        #expect(state.informational() == true)
        #expect(state.endHolding(now: Self.start)?.io == 0)
        #expect(state.endHolding(now: Self.start)?.io == nil)
    }

    @Test func `an upgrade is told, and nobody who is gone gets it`() throws {
        var state = Self.line(2)
        #expect(try state.head(101, byteCount: 0, keepsConnection: true) == .upgrade)
        #expect(state.cancel { $0.io == 1 }?.active.io == nil)
        _ = state.end(rest: 0, isVersion11: true, isOpen: true, now: Self.start)
        #expect(throws: TransportError.self) { try state.head(101, byteCount: 0, keepsConnection: true) }
    }

    // MARK: Lines

    @Test func `nothing is sent behind a response that is the last one`() throws {
        var state = Self.line(2)
        _ = try state.head(200, byteCount: 0, keepsConnection: false)
        let late = Self.entry(2)
        #expect(state.begin(late, now: Self.start) == .hold)
        #expect(!late.isRequestSent)
    }

    @Test(arguments: [(Int64(0), true, true), (65536, true, true), (65537, true, false), (0, false, false)])
    func `a response that nobody waits for is read past if that is little`(
        _ byteCount: Int64,
        _ keepsConnection: Bool,
        _ isSkipped: Bool
    ) throws {
        var state = Self.line(3)
        #expect(state.cancel { $0.io == 1 }?.active.io == nil)
        _ = state.end(rest: 0, isVersion11: true, isOpen: true, now: Self.start)
        #expect(state.informational() == false)
        let head = try? state.head(200, byteCount: byteCount, keepsConnection: keepsConnection)
        #expect(head == (isSkipped ? .skip : nil))
        #expect(try state.body(65536) == false)
        #expect(throws: TransportError.self) { try state.body(1) }
    }

    @Test func `cancelling the one in progress costs the connection, and gives those behind it back`() throws {
        var state = Self.line(3)
        let loss = try #require(state.cancel { $0.io == 0 })
        #expect(loss.active.io == 0)
        #expect(loss.behind.map(\.io) == [1, 2])
        #expect(state.active == nil)
        #expect(state.received(now: Self.start) == false)
        #expect(state.lose()?.active.io == nil)
    }

    // MARK: Time

    static let timeouts: Timeouts = {
        var timeouts = Timeouts()
        timeouts.queue = .seconds(5)
        timeouts.requestBody = .seconds(10)
        timeouts.responseHead = .seconds(20)
        timeouts.responseBody = .seconds(30)
        return timeouts
    }()

    private static func late(
        _ state: inout State,
        at seconds: Int64,
        isStalled: Bool = false,
        isReading: Bool = false,
        unsent: Int = 0
    ) -> (behind: [(entry: State.Entry, error: TransportError)], active: TransportError?, silence: NIODeadline?) {
        state.findLate(
            now: Self.start + .seconds(seconds),
            isStalled: isStalled,
            isReading: isReading,
            unsentByteCount: unsent
        )
    }

    @Test func `each stage has its limit, from the moment at which it began`() throws {
        var state = State()
        _ = state.begin(Self.entry(0, hasBody: true, timeouts: Self.timeouts), now: Self.start)
        #expect(Self.deadline(state) == Self.start + .seconds(10))
        #expect(Self.late(&state, at: 9).active == nil)
        state.noteActivity(Self.start + .seconds(9))
        #expect(Self.late(&state, at: 10).active == nil)
        #expect(Self.deadline(state) == Self.start + .seconds(19))
        state.noteRequestSent()
        #expect(Self.deadline(state) == Self.start + .seconds(29))
        // Single bytes of the head do not restart its limit.
        _ = state.received(now: Self.start + .seconds(28))
        #expect(Self.deadline(state) == Self.start + .seconds(29))
        #expect(state.informational() == true)
        #expect(Self.deadline(state) == Self.start + .seconds(48))
        _ = try state.head(200, byteCount: 1, keepsConnection: true)
        #expect(Self.deadline(state) == Self.start + .seconds(58))
        // Bytes of the framing do not restart that of the body.
        _ = state.received(now: Self.start + .seconds(50))
        #expect(Self.deadline(state) == Self.start + .seconds(58))
        #expect(try state.body(1) == true)
        #expect(Self.deadline(state) == Self.start + .seconds(80))
        #expect(Self.late(&state, at: 80).active?.phase == .responseBody)
    }

    @Test(arguments: [
        (false, false, 0, true), (true, false, 0, false), (false, true, 0, false),
        // A reader that has its turn while the peer does not take what there is.
        (false, true, 100, true), (false, false, 100, true),
        // The peer has taken some.
        (false, false, 99, false), (false, true, 99, false),
    ]) func `a side of ours that is slow, and a peer that takes bytes, are not silence`(
        _ isStalled: Bool,
        _ isReading: Bool,
        _ unsent: Int,
        _ isLate: Bool
    ) {
        var state = State()
        _ = state.begin(Self.entry(0, hasBody: true, timeouts: Self.timeouts), now: Self.start)
        state.noteUnsent(unsent == 0 ? 0 : 100)
        let due = Self.late(&state, at: 10, isStalled: isStalled, isReading: isReading, unsent: unsent)
        #expect((due.active?.code == .timedOut) == isLate)
        if !isLate { #expect(Self.deadline(state) == Self.start + .seconds(20)) }
    }

    @Test(.bug(id: "F348")) func `a peer that stops in the middle of a piece is late after the limit, not twice`() {
        var state = State()
        _ = state.begin(Self.entry(0, hasBody: true, timeouts: Self.timeouts), now: Self.start)
        // A piece was written, and a part of it taken at once, which nobody tells.
        state.noteUnsent(100)
        #expect(state.nextLook(after: Self.start) == Self.start + .milliseconds(2_500))
        #expect(Self.late(&state, at: 2, unsent: 40).active == nil)
        #expect(Self.deadline(state) == Self.start + .seconds(12))
        #expect(state.nextLook(after: Self.start + .seconds(11)) == Self.start + .seconds(12))
        #expect(Self.late(&state, at: 11, unsent: 40).active == nil)
        #expect(Self.late(&state, at: 12, unsent: 40).active?.phase == .requestBody)
    }

    @Test(.bug(id: "F349")) func `a body that waits for permission is not late, and has its whole limit then`() {
        var state = State()
        let entry = Self.entry(0, hasBody: true, awaitsContinue: true, timeouts: Self.timeouts)
        _ = state.begin(entry, now: Self.start)
        #expect(Self.late(&state, at: 10).active == nil)
        #expect(state.endHolding(now: Self.start + .seconds(12)) === entry)
        #expect(Self.late(&state, at: 21).active == nil)
        #expect(Self.late(&state, at: 22).active?.phase == .requestBody)
    }

    @Test func `who waits in line for too long is dropped, once, and nobody else`() {
        var state = Self.line(3, timeouts: Self.timeouts)
        #expect(state.cancel { $0.io == 1 }?.active.io == nil)
        #expect(Self.deadline(state) == Self.start + .seconds(5))
        let due = Self.late(&state, at: 5)
        #expect(due.behind.map(\.entry.io) == [2])
        #expect(due.behind.map(\.error.phase) == [.queue])
        #expect(due.active == nil)
        #expect(Self.late(&state, at: 6).behind.isEmpty)
        #expect(Self.deadline(state) == Self.start + .seconds(20))
    }

    @Test func `the limit in all holds everywhere, but not for who was dropped`() {
        var state = State()
        for number in 0..<2 {
            let total = Self.start + .seconds(3 + Int64(number))
            _ = state.begin(Self.entry(number, timeouts: Self.timeouts, total: total), now: Self.start)
        }
        state.noteRequestSent()
        #expect(Self.deadline(state) == Self.start + .seconds(3))
        #expect(Self.late(&state, at: 3, isStalled: true).active?.phase == .total)
        #expect(Self.late(&state, at: 4).behind.map(\.error.phase) == [.total])
        _ = state.end(rest: 0, isVersion11: true, isOpen: true, now: Self.start + .seconds(4))
        #expect(Self.late(&state, at: 5).active == nil)
        #expect(Self.late(&state, at: 24).active?.phase == .responseHead)
    }

    @Test func `limits beyond the end of time are no limits, and do not trap`() {
        var timeouts = Timeouts()
        timeouts.idle = .seconds(Int64.max)
        timeouts.queue = .seconds(Int64.max)
        var state = Self.line(3, timeouts: timeouts)
        #expect(Self.late(&state, at: 1_000_000).active == nil)
        #expect(Self.deadline(state).map { $0 > Self.start } ?? true == true)
    }
}
