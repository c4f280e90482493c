// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization

extension Session {
    /// Sends a request and returns when the head of its response has arrived.
    ///
    /// An error status is a response like any other. The body is read with back-pressure: the peer sends only as fast as it is taken.
    /// Cancelling the task before this returns closes the connection; afterwards, dropping the response does.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - monitor: Watches the bytes of both directions.
    /// - Returns: The response, its body still to be read.
    /// - Throws: ``SessionError``; `CancellationError` when the task is cancelled.
    public func send(_ request: Request, monitor: TransferMonitor? = nil) async throws -> StreamedResponse {
        try await self.streamed(request, monitor: monitor)
    }

    /// Sends a request and waits for the whole response.
    ///
    /// An error status is a response like any other. Cancelling the task closes the connection.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - monitor: Watches the bytes of both directions.
    /// - Returns: The response with its body, which may have up to ``Configuration/responseLimit`` bytes.
    /// - Throws: ``SessionError``; `CancellationError` when the task is cancelled.
    public func response(for request: Request, monitor: TransferMonitor? = nil) async throws -> Response {
        try await self.response(for: request, monitor: monitor, gate: nil)
    }

    /// Sends a request and turns its response into a value.
    ///
    /// What counts as a success is the serializer's decision. Cancelling the task closes the connection.
    ///
    /// ```swift
    /// let text = try await session.send(Request(url: url), serializer: .string)
    /// ```
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - serializer: Validates the response and turns it into a value; a large one is given to it off the caller's actor.
    ///   - monitor: Watches the bytes of both directions.
    /// - Returns: The value.
    /// - Throws: ``SessionError``, with ``SessionError/Code/unacceptableResponse`` or ``SessionError/Code/serializationFailed`` if the
    ///   serializer refuses; `CancellationError` when the task is cancelled.
    public func send<Serializer: ResponseSerializer>(
        _ request: Request,
        serializer: Serializer,
        monitor: TransferMonitor? = nil
    ) async throws -> Serializer.Output {
        let response = try await self.response(for: request, monitor: monitor, gate: nil)
        return try await Self.value(of: response, serializer: serializer, request: request)
    }

    func response(for request: Request, monitor: TransferMonitor?, gate: SuspensionGate?) async throws -> Response {
        // Only a stream can be watched or held back.
        guard monitor != nil || gate != nil else { return try await self.collected(request) }
        return try await self.streamed(request, monitor: monitor, gate: gate)
            .response(upTo: self.configuration.responseLimit)
    }

    /// Serializes where it is cheaper.
    ///
    /// A change of thread costs some microseconds, which is more than a small document takes to decode: those are decoded where the caller
    /// is. A large one would hold up the caller's actor, the main one perhaps, and so goes to the concurrent pool.
    static func value<Serializer: ResponseSerializer>(
        of response: Response,
        serializer: Serializer,
        request: Request
    ) async throws -> Serializer.Output {
        do {
            guard response.body.count > self.largestBodySerializedInPlace else {
                return try serializer.serialize(response)
            }
            return try await self.serializeConcurrently(response, serializer)
        } catch let error as SerializationError {
            throw SessionError(error, request: request, isRequestSent: true)
        }
    }

    private static var largestBodySerializedInPlace: Int { 16 * 1024 }

    @concurrent
    private static func serializeConcurrently<Serializer: ResponseSerializer>(
        _ response: Response,
        _ serializer: Serializer
    ) async throws -> Serializer.Output {
        try serializer.serialize(response)
    }
}
