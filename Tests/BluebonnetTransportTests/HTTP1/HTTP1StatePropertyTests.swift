// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@testable import BluebonnetTransport

/// Whatever happens in whatever order, the state of a connection of HTTP/1.1 keeps its promises.
@Suite struct HTTP1StatePropertyTests {
    @Test(arguments: UInt64(0)..<400)
    func `no order of events answers an exchange twice, forgets one or acts on a connection that is over`(seed: UInt64)
    {
        var world = HTTP1World(seed: seed)
        for step in 0..<300 {
            world.step()
            if let fault = world.fault {
                Issue.record("seed \(seed), step \(step): \(fault)")
                return
            }
        }
        world.finish()
        if let fault = world.fault { Issue.record("seed \(seed), at the end: \(fault)") }
    }

    @Test func `the histories reach every outcome`() {
        var reached = Set<String>()
        for seed in UInt64(0)..<100 {
            var world = HTTP1World(seed: seed)
            for _ in 0..<300 { world.step() }
            world.finish()
            reached.formUnion(world.reached)
        }
        let wanted: Set<String> = [
            "answered", "skipped", "lost", "elsewhere", "late", "late in line", "cancelled", "upgraded", "held",
            "drained",
        ]
        #expect(wanted.subtracting(reached) == [])
    }
}

/// The state of one connection after the other, and everything around it that does something at random: callers, the peer and time.
private struct HTTP1World: ~Copyable {
    /// An exchange as the world sees it.
    private struct Call {
        var hasBody = false
        var asksForClose = false
        var isHeld = false
        var isSent = false
        var isDropped = false
        var hasHead = false
        var outcome: String?
    }

    private var state = HTTP1ConnectionState<Int>()
    private var random: SplitMix
    private var now = HTTP1ConnectionStateTests.start
    private var calls = [Call]()
    /// Those on the connection, in the order in which they began.
    private var open = [Int]()
    private var isOver = false
    private var isChannelOpen = true
    /// Whether the peer has said that the response in progress is the last one.
    private var isLast = false
    private(set) var reached = Set<String>()
    private(set) var fault: String?

    init(seed: UInt64) { self.random = SplitMix(state: seed) }

    // MARK: Events

    mutating func step() {
        switch self.random.below(16) {
        case 0...2: self.begin()
        case 3: self.peerAsks()
        case 4: self.send()
        case 5...6: self.readHead()
        case 7...8: self.readBody()
        case 9...11: self.end()
        case 12: self.cancel()
        case 13...14: self.passTime()
        default: if self.random.below(6) == 0 { self.breakConnection() }
        }
        self.check()
    }

    mutating func finish() {
        self.lose()
        if let number = self.calls.indices.first(where: { self.calls[$0].outcome == nil }) {
            self.fault = self.fault ?? "\(number) was forgotten"
        }
    }

    private mutating func begin() {
        if self.isOver { self.renew() }
        // The pool lends a connection that is in use where everything may be sent behind one another, which has no body.
        guard self.open.count < 4, self.open.allSatisfy({ self.calls[$0].isSent && !self.calls[$0].hasBody }) else {
            return
        }
        let isFirst = self.open.isEmpty
        var call = Call()
        call.hasBody = isFirst && self.random.below(3) == 0
        call.isHeld = call.hasBody && self.random.below(2) == 0
        call.asksForClose = self.random.below(20) == 0
        var timeouts = Timeouts()
        timeouts.idle = .seconds(10)
        timeouts.queue = .seconds(15)
        let entry = HTTP1ConnectionState<Int>.Entry(
            self.calls.count,
            hasBody: call.hasBody,
            awaitsContinue: call.isHeld,
            asksForClose: call.asksForClose,
            clock: StageClock(
                timeouts,
                total: self.random.below(5) == 0 ? self.now + .seconds(20) : nil,
                now: self.now
            )
        )
        let start = self.state.begin(entry, now: self.now)
        switch start {
        case .send:
            if !isFirst { self.fault = "\(start) for \(entry.io)" }
            if !call.hasBody { self.state.noteRequestSent() }
            call.isSent = !call.hasBody
        case .sendBehind:
            if isFirst || self.isLast { self.fault = "sent behind \(self.open)" }
            call.isSent = true
        case .hold:
            if !self.isLast { self.fault = "held behind \(self.open)" }
            self.reached.insert("held")
        }
        self.open.append(self.calls.count)
        self.calls.append(call)
    }

    /// Another connection.
    private mutating func renew() {
        self.state = HTTP1ConnectionState()
        self.isOver = false
        self.isChannelOpen = true
        self.isLast = false
    }

    /// The peer says 100 Continue, or has been silent for long enough.
    private mutating func peerAsks() {
        let number = self.open.first
        let isHeld = number.map { self.calls[$0].isHeld } ?? false
        let sent = self.state.endHolding(now: self.now)?.io
        if sent != (isHeld ? number : nil) { self.fault = "the body of \(String(describing: sent)) is sent" }
        if let sent { self.calls[sent].isHeld = false }
    }

    /// The peer takes the rest of the body.
    private mutating func send() {
        guard let number = self.open.first, !self.calls[number].isSent, !self.calls[number].isHeld else { return }
        self.state.noteActivity(self.now)
        guard self.random.below(2) == 0 else { return }
        self.state.noteRequestSent()
        self.calls[number].isSent = true
    }

    private mutating func readHead() {
        guard self.receive(), let number = self.open.first, !self.calls[number].hasHead else { return }
        if self.random.below(4) == 0 {
            let isDelivered = self.state.informational()
            if isDelivered == self.calls[number].isDropped { self.fault = "\(number): informational \(isDelivered)" }
            return
        }
        let status = [101, 200, 204, 304, 401, 500][self.random.below(6)]
        let byteCount = Int64([0, 10, 1 << 20][self.random.below(3)])
        let keeps = status != 101 && self.random.below(6) > 0
        let isDropped = self.calls[number].isDropped
        switch try? self.state.head(status, byteCount: byteCount, keepsConnection: keeps) {
        case .deliver(let stopsBody):
            if isDropped || status == 101 { self.fault = "\(number): a head for nobody" }
            let isRefused = status >= 300 && !keeps
            if stopsBody != (self.calls[number].isHeld || isRefused) { self.fault = "\(number): the body goes on" }
            self.calls[number].hasHead = true
            self.calls[number].isHeld = false
            self.isLast = !keeps
        case .upgrade:
            if isDropped || status != 101 { self.fault = "\(number): upgraded" }
            // The connection leaves: nobody is behind a request that allows that.
            guard self.open.count == 1 else { return self.lose() }
            _ = self.state.lose()
            self.complete(number, "upgraded")
            self.open = []
            self.close()
        case nil:
            if !isDropped { self.fault = "\(number): given up" }
            self.lose()
        case .skip:
            if !isDropped || byteCount > 65536 || !keeps { self.fault = "\(number): skipped" }
            self.calls[number].hasHead = true
        }
    }

    private mutating func readBody() {
        guard self.receive(), let number = self.open.first, self.calls[number].hasHead else { return }
        switch try? self.state.body(self.random.below(40_000)) {
        case true: if self.calls[number].isDropped { self.fault = "\(number): a body for nobody" }
        case false: if !self.calls[number].isDropped { self.fault = "\(number): a body was skipped" }
        case nil:
            if !self.calls[number].isDropped { self.fault = "\(number): a body was given up" }
            self.lose()
        }
    }

    private mutating func end() {
        guard self.receive(), let number = self.open.first, self.calls[number].hasHead else { return }
        if self.random.below(10) == 0 { self.isChannelOpen = false }
        let rest = self.random.below(2) * 7
        let result = self.state.end(rest: rest, isVersion11: true, isOpen: self.isChannelOpen, now: self.now)
        guard let (ended, ending) = result, ended.io == number else {
            self.fault = "\(number): did not end"
            return
        }
        self.open.removeFirst()
        self.complete(number, self.calls[number].isDropped ? "skipped" : "answered")
        switch ending {
        case .release:
            let mayStay = !self.isLast && !self.calls[number].asksForClose && self.calls[number].isSent
            if !mayStay || rest > 0 || !self.isChannelOpen || !self.open.isEmpty { self.fault = "released" }
        case .turn(let next):
            if self.isLast || self.calls[number].asksForClose || !self.isChannelOpen || next.io != self.open.first {
                self.fault = "turned to \(next.io)"
            }
        case .drain(let next):
            if self.isChannelOpen || next.io != self.open.first { self.fault = "drains \(next.io)" }
            self.reached.insert("drained")
        case .close(let behind):
            if behind.map(\.io) != self.open { self.fault = "\(behind.map(\.io)) go elsewhere, not \(self.open)" }
            self.sendElsewhere(behind)
            self.close()
        }
        self.isLast = false
    }

    private mutating func cancel() {
        guard !self.calls.isEmpty else { return }
        let number = self.random.below(self.calls.count)
        let isFirst = self.open.first == number
        let isBehind = !isFirst && self.open.contains(number)
        guard let loss = self.state.cancel(where: { $0.io == number }) else {
            if isFirst { self.fault = "\(number): was not cancelled" }
            if isBehind, !self.calls[number].isDropped { self.drop(number, "cancelled") }
            return
        }
        if !isFirst { self.fault = "\(number): took \(loss.active.io) with it" }
        self.open.removeFirst()
        self.complete(number, "cancelled")
        self.sendElsewhere(loss.behind)
        self.close()
    }

    private mutating func passTime() {
        self.now = self.now + .milliseconds(Int64(self.random.below(4000)))
        let deadline = HTTP1ConnectionStateTests.deadline(self.state)
        let due = self.state.findLate(
            now: self.now,
            isStalled: self.random.below(8) == 0,
            isReading: self.random.below(4) == 0,
            unsentByteCount: self.random.below(3) * 100
        )
        let isDue = deadline.map { $0 <= self.now } ?? false
        if !isDue, due.active != nil || !due.behind.isEmpty { self.fault = "late before its time" }
        for (entry, _) in due.behind {
            if self.calls[entry.io].isDropped || entry.io == self.open.first { self.fault = "\(entry.io): late again" }
            self.drop(entry.io, "late in line")
        }
        if due.active != nil {
            self.lose("late")
        } else if let next = HTTP1ConnectionStateTests.deadline(self.state), next <= self.now {
            self.fault = "still late"
        }
    }

    private mutating func breakConnection() {
        self.isChannelOpen = false
        self.lose()
    }

    // MARK: What follows

    /// Bytes come.
    private mutating func receive() -> Bool {
        let isAsked = self.state.received(now: self.now)
        if isAsked != !self.open.isEmpty { self.fault = "bytes for nobody" }
        if !isAsked { self.close() }
        return isAsked
    }

    private mutating func lose(_ how: String = "lost") {
        if let loss = self.state.lose() {
            if loss.active.io != self.open.first { self.fault = "\(loss.active.io) is lost first" }
            if loss.behind.map(\.io) != Array(self.open.dropFirst()) {
                self.fault = "\(loss.behind.map(\.io)) are lost"
            }
            self.open.removeFirst()
            self.complete(loss.active.io, how)
            self.sendElsewhere(loss.behind)
        } else if !self.open.isEmpty {
            self.fault = "nothing is lost of \(self.open)"
        }
        self.close()
    }

    private mutating func sendElsewhere(_ line: [HTTP1ConnectionState<Int>.Entry]) {
        for entry in line {
            if entry.hasResponse { self.fault = "\(entry.io): sent again after a byte of its response" }
            self.complete(entry.io, "elsewhere")
        }
        self.open = []
    }

    private mutating func close() {
        if self.state.close() == self.isOver { self.fault = "closed twice, or not at all" }
        self.isOver = true
    }

    /// An exchange has its outcome, and keeps its place.
    private mutating func drop(_ number: Int, _ outcome: String) {
        if self.calls[number].outcome != nil { self.fault = "\(number): \(outcome) although it was over" }
        self.calls[number].outcome = outcome
        self.calls[number].isDropped = true
        self.reached.insert(outcome)
    }

    /// An exchange leaves the connection.
    private mutating func complete(_ number: Int, _ outcome: String) {
        self.reached.insert(outcome)
        if self.calls[number].isDropped { return }
        if self.calls[number].outcome != nil { self.fault = "\(number): \(outcome) although it was over" }
        self.calls[number].outcome = outcome
    }

    private mutating func check() {
        if self.state.active?.io != self.open.first {
            self.fault = "\(self.open) are open, the state has another first"
        }
        if (HTTP1ConnectionStateTests.deadline(self.state) == nil) != self.open.isEmpty {
            self.fault = "nobody looks at the time"
        }
        if self.isOver, !self.open.isEmpty || !self.state.isClosed { self.fault = "something goes on after the end" }
        if let active = self.state.active, active.isDropped != self.calls[active.io].isDropped {
            self.fault = "dropped"
        }
    }
}
