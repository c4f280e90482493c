// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@testable import BluebonnetTransport

/// Whatever happens in whatever order, the state of a connection of HTTP/2 keeps its promises and the windows.
@Suite struct HTTP2StatePropertyTests {
    @Test(arguments: UInt64(0)..<300) func `no order of events passes a window, forgets a stream or sends after an end`(
        seed: UInt64
    ) throws {
        var world = HTTP2World(seed: seed)
        for step in 0..<400 {
            try world.step()
            if let fault = world.fault {
                Issue.record("seed \(seed), step \(step): \(fault)")
                return
            }
        }
        try world.finish()
        if let fault = world.fault { Issue.record("seed \(seed), at the end: \(fault)") }
    }

    @Test func `the histories fill windows and send bodies to their ends`() throws {
        var (sent, full) = (0, 0)
        for seed in UInt64(0)..<50 {
            var world = HTTP2World(seed: seed)
            for _ in 0..<400 { try world.step() }
            sent += world.bodiesSent
            full += world.windowsFilled
        }
        #expect(sent > 50)
        #expect(full > 100)
    }
}

/// The state of one connection, and everything around it that does something at random: callers, consumers, the peer and time.
private struct HTTP2World: ~Copyable {
    typealias State = HTTP2ConnectionState<Int>

    /// A stream as the world sees it: what each side may send of it, by its own account.
    private struct Side {
        let stream: State.Stream
        let key: HTTP2ConnectionStateTests.Key
        /// The bytes of the request's body that were produced, and sent.
        var produced = 0
        var sent = 0
        var isProduced = false
        var isOut = false
        /// What we may send, by the peer's account.
        var window: Int
        /// What the peer may send, by its account.
        var peerWindow: Int
        /// The bytes that its consumer has not read.
        var unread = 0
        var hasHead = false
        var isEnded = false
    }

    private static let windowSize = 64 * 1024

    private var state: State
    private var random: SplitMix
    private var now = HTTP2ConnectionStateTests.start
    private var lastSent = NIODeadline.uptimeNanoseconds(0)
    private var open = [UInt32: Side]()
    private var gone = [UInt32]()
    private var initialWindow = 65_535
    private var window = 65_535
    private var peerWindow = HTTP2Settings.connectionWindow
    private(set) var bodiesSent = 0
    private(set) var windowsFilled = 0
    private(set) var fault: String?

    init(seed: UInt64) {
        self.random = SplitMix(state: seed)
        self.state = HTTP2ConnectionStateTests.state(windowSize: Self.windowSize)
    }

    private mutating func pick() -> UInt32? {
        let ids = self.open.keys.sorted()
        return ids.isEmpty ? nil : ids[self.random.below(ids.count)]
    }

    // MARK: Events

    mutating func step() throws {
        switch self.random.below(16) {
        case 0...1: self.begin()
        case 2...3: self.produce()
        case 4...5: self.send(atMost: 1 + self.random.below(6))
        case 6: try self.openWindow()
        case 7: try self.changeSettings()
        case 8: try self.readHead()
        case 9...11: try self.readBody()
        case 12: self.consume()
        case 13: try self.end()
        case 14: try self.readLate()
        default: self.passTime()
        }
        self.check()
    }

    mutating func finish() throws {
        // Everything that was produced goes out as soon as the windows are open.
        _ = try self.state.openWindow(0, by: 1 << 29)
        self.window += 1 << 29
        for id in self.open.keys.sorted() {
            _ = try self.state.openWindow(id, by: 1 << 29)
            self.open[id]?.window += 1 << 29
        }
        self.send(atMost: .max)
        for (id, side) in self.open where !side.isOut || side.sent < side.produced {
            if side.sent != side.produced { self.fault = "\(id) has sent \(side.sent) of \(side.produced) bytes" }
            if side.isProduced { self.fault = "\(id) was not sent to its end" }
        }
        for id in self.open.keys.sorted() { self.remove(id) }
        if !self.state.isEmpty { self.fault = "something is left" }
    }

    private mutating func begin() {
        guard self.open.count < 6 else { return }
        let key = HTTP2ConnectionStateTests.Key()
        var timeouts = Timeouts()
        timeouts.idle = .seconds(20)
        let hasBody = self.random.below(4) > 0
        let stream = HTTP2ConnectionStateTests.open(
            0,
            key,
            hasBody: hasBody,
            timeouts: timeouts,
            now: self.now,
            in: &self.state
        )
        if self.open[stream.id] != nil || self.gone.contains(stream.id) { self.fault = "\(stream.id) was used twice" }
        if !hasBody { stream.noteRequestSent() }
        var side = Side(stream: stream, key: key, window: self.initialWindow, peerWindow: Self.windowSize)
        side.isOut = !hasBody
        self.open[stream.id] = side
    }

    private mutating func produce() {
        guard let id = self.pick(), var side = self.open[id], !side.isOut, !side.isProduced else { return }
        let count = 1 + self.random.below(60_000)
        side.produced += count
        self.state.add(count, to: side.stream)
        if self.random.below(3) == 0 {
            side.isProduced = true
            self.state.completeBody(of: side.stream, now: self.now)
        }
        self.open[id] = side
    }

    private mutating func send(atMost frames: Int) {
        var count = 0
        while count < frames, let (stream, limit) = self.state.nextToSend() {
            count += 1
            guard var side = self.open[stream.id] else {
                self.fault = "\(stream.id) sends after its end"
                return
            }
            // The handler may have less at hand than it may send.
            let byteCount = limit == 0 ? 0 : frames == .max ? limit : 1 + self.random.below(limit)
            if side.isOut { self.fault = "\(stream.id) sends after its last frame" }
            if limit > 16_384 { self.fault = "a frame of \(limit) bytes" }
            if limit > Swift.max(0, side.window) || limit > self.window { self.fault = "\(stream.id) passes a window" }
            if side.sent + limit > side.produced { self.fault = "\(stream.id) sends what is not there" }
            side.sent += byteCount
            if byteCount > 0 { self.lastSent = self.now }
            side.window -= byteCount
            self.window -= byteCount
            if side.window == 0 || self.window == 0 { self.windowsFilled += 1 }
            let isLast = stream.isLast(byteCount)
            self.state.sent(byteCount, of: stream, isLast: isLast, gathered: byteCount, now: self.now)
            if isLast != (side.isProduced && side.sent == side.produced) { self.fault = "\(stream.id) ends wrongly" }
            if byteCount == 0, !isLast { self.fault = "\(stream.id) sends nothing" }
            if isLast {
                side.isOut = true
                self.bodiesSent += 1
            }
            self.open[stream.id] = side
        }
        guard count < frames else { return }
        for (id, side) in self.open where !side.isOut {
            if side.sent < side.produced, side.window > 0, self.window > 0 { self.fault = "\(id) was forgotten" }
            if side.sent == side.produced, side.isProduced { self.fault = "the end of \(id) was forgotten" }
        }
    }

    private mutating func openWindow() throws {
        let increment = 1 + self.random.below(40_000)
        if self.random.below(2) == 0 {
            _ = try self.state.openWindow(0, by: increment)
            self.window += increment
        } else if let id = self.pick() {
            _ = try self.state.openWindow(id, by: increment)
            self.open[id]?.window += increment
        }
    }

    private mutating func changeSettings() throws {
        let size = self.random.below(100_000)
        _ = try self.state.apply([(HTTP2Settings.Identifier.initialWindowSize, UInt32(size))])
        for id in self.open.keys { self.open[id]?.window += size - self.initialWindow }
        self.initialWindow = size
    }

    private mutating func readHead() throws {
        self.state.heard(self.now)
        guard let id = self.pick(), let side = self.open[id], !side.hasHead else { return }
        guard let stream = try self.state.headers(id) else {
            self.fault = "the head of \(id) is late"
            return
        }
        let isInformational = self.random.below(4) == 0
        // Whatever the status, a body that is under way goes on.
        let status = id % 4 == 1 ? 200 : 404
        let head = try stream.head(isInformational ? 103 : status, isEnd: false, informationalLimit: .max)
        if head != (isInformational ? .informational : .final(stopsBody: false)) { self.fault = "\(id): \(head)" }
        self.open[id]?.hasHead = !isInformational
    }

    /// The peer sends as much as it may, by its own account, and now and then more.
    private mutating func readBody() throws {
        self.state.heard(self.now)
        guard let id = self.pick(), let side = self.open[id], side.hasHead, !side.isEnded else { return }
        let length = Swift.min(self.random.below(16_385), side.peerWindow, self.peerWindow)
        let byteCount = length == 0 ? 0 : self.random.below(length + 1)
        guard case .deliver = try self.state.data(id, byteCount: byteCount, flowLength: length, isEnd: false) else {
            self.fault = "the body of \(id) is not delivered"
            return
        }
        self.open[id]?.peerWindow -= length
        self.open[id]?.unread += byteCount
        self.peerWindow -= length
        if let increment = self.state.takeWindow() { self.peerWindow += increment }
        if self.peerWindow > HTTP2Settings.connectionWindow { self.fault = "the connection's window is too far open" }
        if self.peerWindow < HTTP2Settings.connectionWindow / 2 { self.fault = "one stream holds up the others" }
        self.state.touch(side.stream)
        if self.random.below(2) == 0 {
            let touched = self.state.takeTouched().map(\.id)
            if Set(touched).count != touched.count || !touched.contains(id) { self.fault = "\(touched) were touched" }
        }
    }

    private mutating func consume() {
        guard let id = self.pick(), var side = self.open[id] else { return }
        side.stream.consume(side.unread)
        side.unread = 0
        if let increment = self.state.takeWindow(of: side.stream) { side.peerWindow += increment }
        if side.peerWindow > Self.windowSize { self.fault = "the window of \(id) is too far open" }
        if !side.isEnded, side.peerWindow < Self.windowSize / 2 {
            self.fault = "\(id) is stuck with a consumer that reads"
        }
        self.open[id] = side
    }

    private mutating func end() throws {
        guard self.random.below(3) == 0, let id = self.pick(), let side = self.open[id] else { return }
        if self.random.below(2) == 0, side.hasHead, !side.isEnded {
            _ = try self.state.data(id, byteCount: 0, flowLength: 0, isEnd: true)
            self.open[id]?.isEnded = true
            return
        }
        self.remove(id)
    }

    private mutating func remove(_ id: UInt32) {
        guard let side = self.open.removeValue(forKey: id) else { return }
        if self.state.stream(of: ObjectIdentifier(side.key)) !== side.stream { self.fault = "\(id) is not found" }
        if !self.state.remove(side.stream) || self.state.remove(side.stream) { self.fault = "\(id) is removed twice" }
        if self.state.stream(of: ObjectIdentifier(side.key)) != nil { self.fault = "\(id) is found after its end" }
        self.gone.append(id)
    }

    /// What comes for a stream that has ended changes nothing but the connection's window.
    private mutating func readLate() throws {
        guard !self.gone.isEmpty else { return }
        let id = self.gone[self.random.below(self.gone.count)]
        let length = Swift.min(self.random.below(1000), self.peerWindow)
        guard case .none = try self.state.data(id, byteCount: length, flowLength: length, isEnd: false),
            case .none = try self.state.reset(id, .cancel), case .none = try self.state.openWindow(id, by: 1),
            try self.state.headers(id)?.id == nil
        else {
            self.fault = "something is done for \(id), which has ended"
            return
        }
        self.peerWindow -= length
        if let increment = self.state.takeWindow() { self.peerWindow += increment }
    }

    private mutating func passTime() {
        self.now = self.now + .seconds(Int64(self.random.below(8)))
        let before = HTTP2ConnectionStateTests.deadline(self.state)
        let late = self.state.findLate(now: self.now, unsentByteCount: 0) { _ in (false, false) }
        let isDue = before.map { $0 <= self.now } ?? false
        // A stream in the queue is not late while others have their turns.
        let isMoving = self.lastSent + .seconds(20) > self.now
        if late.isEmpty ? isDue && !isMoving : !isDue { self.fault = "\(late.count) are late" }
        for (stream, _, _) in late { self.remove(stream.id) }
        if let next = HTTP2ConnectionStateTests.deadline(self.state), next <= self.now { self.fault = "still late" }
    }

    private mutating func check() {
        if self.state.all.map(\.id) != self.open.keys.sorted() { self.fault = "other streams are open" }
        if (HTTP2ConnectionStateTests.deadline(self.state) == nil) != self.open.isEmpty {
            self.fault = "nobody looks at the time"
        }
        for (id, side) in self.open where side.stream.isRequestSent != side.isOut {
            self.fault = "\(id) is out, or not"
        }
        for (id, side) in self.open where side.stream.sendWindow != side.window { self.fault = "\(id) counts wrongly" }
    }
}
