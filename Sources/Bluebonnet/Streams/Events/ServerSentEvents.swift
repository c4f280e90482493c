// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension StreamedResponse {
    /// The server-sent events of this response, each as soon as its empty line has arrived; they end with the body.
    ///
    /// Use it for a stream that is not continued when it ends, for example the response of a language model to a POST
    /// request. An ``EventSource`` reconnects. Neither status nor content type is checked.
    ///
    /// ```swift
    /// let response = try await api.prepare(.post, "chat", parameters: question).stream()
    /// for try await event in response.events() { print(event.data) }
    /// ```
    ///
    /// - Parameter limits: The limits of the stream; ``StreamLimits/events`` of the session by default.
    /// - Returns: The events, for one consumer.
    public func events(limits: EventLimits? = nil) -> ServerSentEvents {
        ServerSentEvents(response: self, limits: limits ?? self.streamLimits.events)
    }
}

/// The server-sent events of one response; see ``StreamedResponse/events(limits:)``.
///
/// Reading throws ``SessionError``, or `CancellationError` when the reading task is cancelled. After an error the rest
/// of the body is abandoned.
public struct ServerSentEvents: AsyncSequence, Sendable {
    public typealias Element = ServerSentEvent

    let response: StreamedResponse
    let limits: EventLimits

    /// Makes the iterator; the body has one consumer.
    public func makeAsyncIterator() -> AsyncIterator {
        let parser = EventStreamParser(limits: self.limits, decoder: self.response.decoder)
        return AsyncIterator(reader: StreamReader(self.response, parser))
    }

    /// The iterator of a ``ServerSentEvents``.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var reader: StreamReader<EventStreamParser>

        /// Waits for the next event; nil at the end of the body.
        public mutating func next() async throws -> ServerSentEvent? { try await self.reader.next() }
    }
}
