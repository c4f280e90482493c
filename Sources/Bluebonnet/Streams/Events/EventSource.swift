// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

/// A stream of server-sent events that reconnects, as the WHATWG HTML standard says in section 9.2.
///
/// Make one with ``HTTPSession/events(_:query:headers:options:)``, ``PreparedCall/events(_:)`` or ``Session/events(for:_:)``.
///
/// ```swift
/// for try await event in try await api.events("chat") {
///     print(event.type, event.data)
/// }
/// ```
///
/// - A connection that is lost, refused or ended by the server is made again, after a delay; see ``Options``. The request then carries
///   `Last-Event-ID`, so that the server can go on after the last event.
/// - Status 204 ends the sequence. Any other status than 200 is an error with ``SessionError/Code/unacceptableStatus``, and any other content type
///   than `text/event-stream` one with ``SessionError/Code/unacceptableContentType``. Neither is tried again.
/// - Each connection is a call of the session: its redirects, its retries and its interceptors work as for any other, its observers see it, and it
///   counts against ``Session/Configuration/maximumConcurrentRequests``. A total limit holds for each connection and ends the sequence.
///
/// Reading throws ``SessionError``, or `CancellationError` when the reading task is cancelled, which ends the connection or the delay at once.
public struct EventSource: AsyncSequence, Sendable {
    public typealias Element = ServerSentEvent

    let session: Session
    let request: Request
    let options: Options
    /// The first connection, if it was made before the first iterator.
    private let first: FirstConnection?

    init(_ request: Request, of session: Session, _ options: Options) {
        self.session = session
        self.request = Self.prepared(request, options, session)
        self.options = options
        self.first = nil
    }

    private init(_ source: EventSource, first: FirstConnection) {
        self.session = source.session
        self.request = source.request
        self.options = source.options
        self.first = first
    }

    /// Makes the iterator; each has a connection of its own, made when its first event is asked for.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(connection: EventConnection(self, self.first?.take()))
    }

    /// The same source with its first connection made.
    ///
    /// - Returns: The source; its first iterator takes the connection.
    /// - Throws: ``SessionError``, also for a connection that an iterator would try to make again; `CancellationError`.
    package func connected() async throws -> EventSource {
        EventSource(self, first: FirstConnection(try await self.connect(lastEventID: self.firstLastEventID)))
    }

    /// Gives the events of an ``EventSource``.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var connection: EventConnection

        /// Waits for the next event, over as many connections as it takes; nil when the server has ended the stream with status 204.
        public mutating func next() async throws -> ServerSentEvent? { try await self.connection.next() }
    }
}
