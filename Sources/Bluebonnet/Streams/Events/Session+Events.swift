// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization

extension Session {
    /// Makes a stream of server-sent events that reconnects; nothing is sent before its first event is requested.
    ///
    /// - Parameters:
    ///   - request: The request. `Accept` and `Cache-Control: no-store` are added unless it has them.
    ///   - reconnecting: When and how it reconnects, and the limits of the stream.
    /// - Returns: The events.
    public func events(
        for request: Request,
        reconnecting: EventSource.Options = EventSource.Options()
    ) -> EventSource {
        EventSource(request, of: self, reconnecting)
    }
}

extension PreparedCall {
    /// Makes a stream of server-sent events; nothing is sent before its first event is requested.
    ///
    /// It reconnects if the method is GET, unless the options say otherwise: the response to a POST request ends with
    /// its body. A progress closure is not called; ``monitor`` counts and ends with the first connection. A response that
    /// is not an event stream is an error that decodes its body with ``HTTPSession/decoder``.
    ///
    /// ```swift
    /// for try await event in try api.prepare(.post, "chat", parameters: question).events() {
    ///     print(event.data)
    /// }
    /// ```
    ///
    /// - Parameter reconnecting: When and how it reconnects, and the limits of the stream.
    /// - Returns: The events.
    public func events(reconnecting: EventSource.Options = EventSource.Options()) -> EventSource {
        EventSource(self.request, of: self.session, reconnecting, self.handling(self.monitor))
    }
}
