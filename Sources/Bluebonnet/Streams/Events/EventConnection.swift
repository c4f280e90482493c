// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport

/// The successive connections of one reader of an event source.
struct EventConnection {
    private let source: EventSource
    /// A connection that was made before reading began.
    private var opening: EventSource.Opening?
    private var reader: StreamReader<EventStreamParser>?
    private var lastEventID: String
    private var reconnectionTime: Duration
    /// The number of successive connections that were lost without an event.
    private var eventless = 0
    /// The growth of the delay: 1 after a healthy connection, and one more after each other.
    private var failures = 0
    /// When the current connection was made.
    private var opened: SessionClock.Instant?
    /// The last delay.
    private var delay: Duration
    /// Whether the connection has delivered an event.
    private var hasEvent = false
    private var isOver = false

    init(_ source: EventSource, _ opening: EventSource.Opening?) {
        self.source = source
        self.opening = opening
        self.lastEventID = source.firstLastEventID
        self.reconnectionTime = source.options.reconnectionTime
        self.delay = source.options.reconnectionTime
    }

    mutating func next() async throws -> ServerSentEvent? {
        guard !self.isOver else { return nil }
        do {
            if let event = try await self.nextEvent() { return event }
            self.end()
            return nil
        } catch {
            self.end()
            throw error
        }
    }

    private mutating func nextEvent() async throws -> ServerSentEvent? {
        while true {
            var interruption: SessionError?
            do {
                guard try await self.open() else { return nil }
                if let event = try await self.reader?.next() {
                    self.hasEvent = true
                    return event
                }
            } catch let error as SessionError where error.isInterruption {
                interruption = error
            }
            self.close()
            guard self.source.reconnects else {
                if let interruption { throw interruption }
                return nil
            }
            try await self.pause(after: interruption)
        }
    }

    /// Makes a connection unless there is one already.
    ///
    /// - Returns: Whether there is a stream.
    private mutating func open() async throws -> Bool {
        guard self.reader == nil else { return true }
        let opening: EventSource.Opening
        if let first = self.opening.take() {
            opening = first
        } else {
            opening = try await self.source.connect(lastEventID: self.lastEventID)
        }
        guard case .stream(let response) = opening else { return false }
        let limits = self.source.options.limits ?? self.source.session.configuration.limits.streams.events
        let parser = EventStreamParser(limits: limits, lastEventID: self.lastEventID, decoder: response.decoder)
        self.reader = StreamReader(response, parser)
        self.hasEvent = false
        self.opened = self.clock.now
        return true
    }

    /// Drops a connection, and keeps the server's event ID and reconnection time.
    private mutating func close() {
        guard let parser = self.reader.take()?.parser else { return }
        self.lastEventID = parser.lastEventID
        self.reconnectionTime = parser.reconnectionTime ?? self.reconnectionTime
    }

    /// Waits before the next connection.
    private mutating func pause(after interruption: SessionError?) async throws {
        self.count()
        if let limit = self.source.options.maximumAttempts, self.eventless >= limit {
            throw interruption ?? self.endedByServer
        }
        self.delay = self.source.options.delay(
            self.reconnectionTime,
            failures: self.failures,
            spread: Double.random(in: 0..<1)
        )
        do {
            let (clock, delay) = (self.clock, self.delay)
            try await self.source.session.admission.pause(until: .draining) { try await clock.sleep(for: delay) }
        } catch var error as SessionError {
            error.request = error.request ?? SessionError.FailedRequest(self.source.request)
            throw error
        }
    }

    /// Counts a lost connection.
    private mutating func count() {
        let lasted = self.opened.take().map { $0.duration(to: self.clock.now) } ?? .zero
        // A connection without events for minutes, or closed by a load balancer, is healthy.
        let wasWell = self.hasEvent || (lasted >= self.delay && lasted > .zero)
        self.failures = wasWell ? 1 : self.failures + 1
        self.eventless = self.hasEvent ? 0 : self.eventless + 1
        self.hasEvent = false
    }

    private var clock: SessionClock { self.source.session.configuration.clock }

    private mutating func end() {
        self.isOver = true
        self.reader = nil
        self.opening = nil
    }

    private var endedByServer: SessionError {
        SessionError(
            .connectionClosed,
            reason: "the server has ended the stream \(self.eventless) times in a row without an event",
            request: self.source.request,
            phase: .responseBody,
            isRequestSent: true
        )
    }
}
