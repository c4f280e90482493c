// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
public import BluebonnetTransport
import HTTPTypes
import NIOCore

/// Sends requests: the pipeline from a `Request` to a ``StreamedResponse``, with the limits and the interceptors of its configuration.
///
/// One session serves a whole program; it may be used from any task, and connections are kept and shared below it. For paths that are
/// relative to a base URL, parameters and typed responses see ``HTTPSession``.
///
/// ```swift
/// let session = Session()
/// let response = try await session.response(for: Request(url: url))
/// ```
public final class Session: Sendable {
    /// The configuration the session was made with.
    public let configuration: Configuration

    /// What carries the bytes.
    public let transport: any Transport

    /// The interceptors, outermost first: the whole order of the pipeline, in one place.
    let pipeline: [any Interceptor]

    let admission: Admission
    private let ownsTransport: Bool
    let tasks = TaskRegistry()

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - configuration: How it behaves.
    ///   - transport: What carries the bytes; the session then owns it, and shuts it down at its own end. The engine that everyone shares,
    ///     `NIOTransport.shared`, unless given.
    public init(configuration: Configuration = Configuration(), transport: (any Transport)? = nil) {
        self.configuration = configuration
        self.transport = transport ?? NIOTransport.shared
        self.ownsTransport = transport != nil
        self.pipeline = configuration.interceptors + configuration.networkInterceptors
        self.admission = Admission(limit: configuration.maximumConcurrentRequests)
    }

    /// Ends the session: refuses new requests, cancels its tasks, and shuts its transport down, unless that is the shared one.
    ///
    /// With its own transport gone, requests under way and responses whose body is being read fail with ``SessionError/Code/shutDown``; on the
    /// shared one they go on to their end. Calling it again does nothing.
    public func shutdown() async {
        self.admission.close()
        self.tasks.cancelAll()
        if self.ownsTransport { await self.transport.shutdown() }
    }

    /// Sends a request down the pipeline and hands over the response as soon as its head has arrived.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - monitor: Who watches the bytes go by.
    ///   - gate: What holds the body back while a task is suspended.
    ///   - keepsCoding: Whether the body is wanted as the server has it, compressed or not.
    /// - Returns: The response; reading its body throws only `SessionError` and `CancellationError`, too.
    /// - Throws: `SessionError` or `CancellationError`.
    func streamed(
        _ request: Request,
        monitor: TransferMonitor?,
        gate: SuspensionGate? = nil,
        keepsCoding: Bool = false
    ) async throws -> StreamedResponse {
        var context = self.context(for: request, responseMode: .streamed, monitor: monitor, gate: gate)
        if keepsCoding { context.decodesContent = false }
        do {
            let permit = try await self.admission.enter(within: self.configuration.timeouts.queue)
            let response = try await self.step(self.withDefaultHeaders(request), position: 0, context)
            return StreamedResponse(observing: response, context, permit: permit)
        } catch {
            monitor?.finish()
            throw SessionError.wrapping(error, request: request, source: .interceptor)
        }
    }

    /// Sends a request down the pipeline and waits for the whole response.
    ///
    /// The fast way for small responses: the transport collects the body itself, no stream and no task are made.
    ///
    /// - Parameter request: The request.
    /// - Returns: The response.
    /// - Throws: `SessionError` or `CancellationError`.
    func collected(_ request: Request) async throws -> Response {
        let limit = self.configuration.responseLimit
        let context = self.context(for: request, responseMode: .collected(upTo: limit), monitor: nil, gate: nil)
        do {
            let permit = try await self.admission.enter(within: self.configuration.timeouts.queue)
            defer { permit?.release() }
            // An interceptor may still answer with a stream of its own.
            return try await self.step(self.withDefaultHeaders(request), position: 0, context).response(upTo: limit)
        } catch {
            throw SessionError.wrapping(error, request: request, source: .interceptor)
        }
    }

    private func context(
        for request: Request,
        responseMode: TransportRequest.ResponseMode,
        monitor: TransferMonitor?,
        gate: SuspensionGate?
    ) -> ExchangeContext {
        let total = request.options.totalTimeout ?? self.configuration.timeouts.total
        return ExchangeContext(
            responseMode: responseMode,
            monitor: monitor,
            gate: gate,
            decodesContent: self.configuration.decodesContent,
            deadline: total.map { .now + $0 }
        )
    }

    private func withDefaultHeaders(_ request: Request) -> Request {
        var request = request
        for field in self.configuration.headers where !request.headers.contains(field.name) {
            request.headers[fields: field.name] = self.configuration.headers[fields: field.name]
        }
        return request
    }

    /// One step of the pipeline: the interceptor at a position, or the transport after the last one.
    func step(_ request: Request, position: Int, _ context: ExchangeContext) async throws -> StreamedResponse {
        guard position < self.pipeline.count else { return try await self.exchange(request, context) }
        return try await self.pipeline[position].intercept(
            request,
            next: Chain(self, position: position + 1, context)
        )
    }

    /// One exchange, after all interceptors.
    private func exchange(_ request: Request, _ context: ExchangeContext) async throws -> StreamedResponse {
        var outgoing = try TransportRequest(request, timeouts: self.configuration.timeouts, context)
        outgoing.proxy = self.configuration.proxy
        outgoing.unixSocketPath = self.configuration.unixSocketPath
        do {
            let response = try await self.transport.exchange(outgoing)
            if let monitor = context.monitor, case .bytes(let bytes) = outgoing.body {
                monitor.upload.add(bytes.readableBytes)
            }
            return StreamedResponse(response, to: request)
        } catch {
            throw SessionError.wrapping(error, request: request, source: .transport)
        }
    }
}
