// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Synchronization

extension StreamedResponse {
    /// Wraps the body of a response for the caller of the session.
    ///
    /// The body then counts its bytes, waits while a task is suspended, gives back the request's place at its end, and throws nothing but
    /// the errors of a session.
    init(observing response: StreamedResponse, _ context: ExchangeContext, permit: Admission.Permit?) {
        self = response
        context.monitor?.responseBegan(length: response.body.expectedLength)
        if response.body.expectedLength == 0 || (response.body.collectedBytes != nil && context.gate == nil) {
            // Nothing is left to wait for.
            if let bytes = response.body.collectedBytes { context.monitor?.download.add(bytes.readableBytes) }
            context.monitor?.finish()
            permit?.release()
        } else {
            self.body = ResponseBody(
                source: ObservedResponseBody(response, context, permit: permit),
                expectedLength: response.body.expectedLength
            )
        }
    }
}

/// A response's body as the caller of a session reads it.
private final class ObservedResponseBody: ResponseBody.Source {
    private struct State {
        /// What is still to be read; nil after the end.
        ///
        /// Dropping it tells the transport that nobody reads on.
        var body: ResponseBody?
        var trailers: HTTPFields?
    }

    private let request: Request
    private let monitor: TransferMonitor?
    private let gate: SuspensionGate?
    private let permit: Admission.Permit?
    private let state: Mutex<State>

    init(_ response: StreamedResponse, _ context: ExchangeContext, permit: Admission.Permit?) {
        self.request = response.request
        self.monitor = context.monitor
        self.gate = context.gate
        self.permit = permit
        self.state = Mutex(State(body: response.body))
    }

    deinit { self.finish() }

    var trailers: HTTPFields? { self.state.withLock { $0.trailers } }

    func next() async throws -> ByteBuffer? {
        do {
            try await self.gate?.pass()
            guard let body = self.state.withLock({ $0.body }) else { return nil }
            guard let buffer = try await self.read(body) else {
                self.state.withLock { $0.trailers = body.trailers }
                self.finish()
                return nil
            }
            self.monitor?.download.add(buffer.readableBytes)
            return buffer
        } catch {
            self.finish()
            throw SessionError.wrapping(error, request: self.request, source: .transport)
        }
    }

    /// An iterator of a streamed body goes on where the last one stood; a collected body is given once.
    private func read(_ body: ResponseBody) async throws -> ByteBuffer? {
        if let bytes = body.collectedBytes {
            self.state.withLock { $0.body = .empty }
            return bytes.readableBytes > 0 ? bytes : nil
        }
        var iterator = body.makeAsyncIterator()
        return try await iterator.next()
    }

    private func finish() {
        self.state.withLock { $0.body = nil }
        self.monitor?.finish()
        self.permit?.release()
    }
}
