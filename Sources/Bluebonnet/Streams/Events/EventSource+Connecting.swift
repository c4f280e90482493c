// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes
import Synchronization

extension EventSource {
    /// The result of a request for a stream.
    enum Opening: Sendable {
        case stream(StreamedResponse)
        /// Status 204: there is no stream, and none may be requested again.
        case ended
    }

    /// A connection that waits for its reader.
    final class FirstConnection: Sendable {
        private let opening: Mutex<Opening?>

        init(_ opening: Opening) {
            self.opening = Mutex(opening)
        }

        func take() -> Opening? { self.opening.withLock { $0.take() } }
    }

    private static let contentType = "text/event-stream"
    private static let lastEventIDField = HTTPField.Name("Last-Event-ID")
    // Any other status fails the connection (section 9.2.2).
    private static let validation = ResponseValidation(statusCodes: [200], contentTypes: [Self.contentType])

    /// The request of every connection.
    static func prepared(_ request: Request, _ options: Options, _ session: Session) -> Request {
        var request = request
        // Whatever else the session asks for: no other type is read.
        if !request.headers.contains(.accept) { request.headers[.accept] = Self.contentType }
        if !request.headers.contains(.cacheControl) { request.headers[.cacheControl] = "no-store" }
        // The field forbids storing alone. A stored response would be read again with each connection (section 9.2.2:
        // the cache mode is "no-store").
        request.options.cachePolicy = request.options.cachePolicy ?? .reloadIgnoringLocalCacheData
        if let limit = options.idleLimit {
            var timeouts = session.configuration.timeouts(of: request)
            // Otherwise it would be the idle limit in every phase.
            if let silence = request.options.timeoutInterval.take() { timeouts.limitSilence(to: silence) }
            timeouts.responseBody = limit
            request.transportOptions.timeouts = timeouts
        }
        return request
    }

    /// The event ID for the first connection: that of the options, or else of the request's own field.
    var firstLastEventID: String {
        guard self.options.lastEventID.isEmpty, let name = Self.lastEventIDField else {
            return self.options.lastEventID
        }
        return self.request.headers[name] ?? ""
    }

    /// Makes a connection.
    ///
    /// - Parameter lastEventID: The event ID to continue after, sent without surrounding blanks, which no header field
    ///   keeps; empty for none.
    /// - Returns: The stream.
    /// - Throws: `SessionError` for a failure and for a response that is not an event stream; `CancellationError`.
    func connect(lastEventID: String) async throws -> Opening {
        var request = self.request
        // An ID that a header field cannot contain is not sent: the server then decides where the stream continues.
        if let name = Self.lastEventIDField {
            let value = String(Substring(lastEventID.utf8.trimmingBlanks))
            request.headers[name] = !value.isEmpty && HTTPField.isValidValue(value) ? value : nil
        }
        let response = try await self.session.streamed(request, self.handling, refusal: Self.refusal)
        guard response.status != .noContent else {
            await response.body.discard(upTo: 0)
            return .ended
        }
        return .stream(response)
    }

    /// Why a response is no event stream; nil for one, and for status 204.
    private static func refusal(of response: StreamedResponse) -> SessionError? {
        guard response.status != .noContent else { return nil }
        // An empty stream needs its type, too; with a length of 0 it would not be checked.
        var head = response
        head.headers[.contentLength] = nil
        return Self.validation.refusal(of: head, isFixed: true)
    }

    /// Whether it reconnects after a lost connection.
    var reconnects: Bool { self.options.reconnects ?? (self.request.method == .get) }
}

extension SessionError {
    /// Whether an event source continues after this error, with another connection.
    ///
    /// It does not after a response that was refused, a limit that was exceeded, or a failure that another attempt
    /// cannot fix.
    var isInterruption: Bool {
        switch self.code {
        case .nameResolutionFailed, .connectFailed, .tlsFailed, .connectionClosed: true
        // A proxy repeats a refusal, unless its status reports a temporary problem. No retry policy applies here: any status
        // of a failing proxy may be temporary to a stream that reconnects for as long as it lives.
        case .proxyFailed: self.proxyStatus.map { $0 >= 500 || $0 == 408 || $0 == 429 } ?? true
        case .timedOut: self.phase != .total && self.phase != .queue
        // The token could not be refreshed; that it took too long says nothing about the time of the stream.
        case .authenticationFailed:
            (self.underlying as? SessionError).map { $0.code == .timedOut || $0.isInterruption } ?? false
        // A server that flushes a compressed stream and then ends it leaves the coding unfinished. Corrupt content and
        // content that expands too far are final.
        case .decompressionFailed: (self.underlying as? TransportError)?.underlying is TruncatedContentError
        default: false
        }
    }
}
