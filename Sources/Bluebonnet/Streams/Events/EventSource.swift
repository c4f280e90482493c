// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

/// A stream of server-sent events that reconnects, as defined in section 9.2 of the WHATWG HTML standard.
///
/// Create one with ``HTTPSession/events(_:query:headers:options:reconnecting:)``,
/// ``PreparedCall/events(reconnecting:)`` or ``Session/events(for:reconnecting:)``.
///
/// ```swift
/// for try await event in try await api.events("chat") {
///     print(event.type, event.data)
/// }
/// ```
///
/// - It reconnects, after a delay, when a connection is lost, refused or ended by the server; see ``Options``. The
///   request then has the `Last-Event-ID` field, so that the server can continue after the last event.
/// - Status 204 ends the sequence. Any other status than 200 is an error with ``SessionError/Code/unacceptableStatus``,
///   and any other content type than `text/event-stream` one with ``SessionError/Code/unacceptableContentType``.
///   Neither is retried.
/// - Each connection is a call of the session: its redirects, its retries and its interceptors work as for any other,
///   its observers see it, and it counts against ``Session/Configuration/maximumConcurrentRequests``. A total limit
///   applies to each connection and ends the sequence.
///
/// Reading throws ``SessionError``, or `CancellationError` when the reading task is cancelled, which ends the connection or the delay at once.
public struct EventSource: AsyncSequence, Sendable {
    public typealias Element = ServerSentEvent

    let session: Session
    let request: Request
    let options: Options
    /// The settings of every connection's call.
    let handling: CallHandling
    /// The first connection, if it is made before the first iterator.
    private var first: FirstConnection?

    init(_ request: Request, of session: Session, _ options: Options, _ handling: CallHandling = CallHandling()) {
        self.session = session
        self.request = Self.prepared(request, options, session)
        self.options = options
        self.handling = handling
    }

    /// Makes the iterator; each has its own connection, made when its first event is requested.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(connection: EventConnection(self, self.first?.take()))
    }

    /// Returns the same source with its first connection made.
    ///
    /// - Returns: The source; its first iterator uses the connection.
    /// - Throws: ``SessionError``, also for a failure after which an iterator would reconnect; `CancellationError`.
    package func connected() async throws -> EventSource {
        var source = self
        source.first = FirstConnection(try await self.connect(lastEventID: self.firstLastEventID))
        return source
    }

    /// The iterator of an ``EventSource``.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var connection: EventConnection

        /// Waits for the next event, over as many connections as needed; nil when the server has ended the stream with
        /// status 204.
        public mutating func next() async throws -> ServerSentEvent? { try await self.connection.next() }
    }
}
