// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import BluebonnetTransport
public import FoundationEssentials
public import HTTPTypes
import NIOCore

/// A response whose head has arrived and whose body can be read as it comes.
///
/// A response is not validated: an error status is a response like any other. Dropping a response whose body has not been read to the end closes
/// its connection.
///
/// ```swift
/// let response = try await session.send(Request(url: url))
/// for try await buffer in response.body {
///     count += buffer.readableBytes
/// }
/// ```
public struct StreamedResponse: Sendable {
    /// The status, for example 200 OK.
    public var status: HTTPResponse.Status

    /// The header fields, in the order they came.
    public var headers: HTTPFields

    /// The body, for one consumer.
    ///
    /// Reading it throws ``SessionError``, or `CancellationError` when the reading task is cancelled.
    public var body: ResponseBody

    /// The URL that answered.
    public var url: URL

    /// The method of the request that was answered.
    public var method: HTTPRequest.Method

    /// When each phase happened, up to the moment the head had arrived.
    public var metrics: ExchangeMetrics

    /// Creates a response, for an interceptor that answers by itself.
    ///
    /// - Parameters:
    ///   - request: The request that is answered.
    ///   - status: The status.
    ///   - headers: The header fields.
    ///   - body: The body.
    ///   - metrics: The measurements.
    public init(
        to request: Request,
        status: HTTPResponse.Status,
        headers: HTTPFields = HTTPFields(),
        body: ResponseBody = .empty,
        metrics: ExchangeMetrics = ExchangeMetrics()
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.url = request.url
        self.method = request.method
        self.metrics = metrics
    }

    init(_ response: TransportResponse, to request: Request) {
        self.init(
            to: request,
            status: response.status,
            headers: response.headers,
            body: response.body,
            metrics: response.metrics
        )
    }

    /// Waits for the whole body.
    ///
    /// - Parameter limit: The largest number of bytes to accept, 64 MiB unless given.
    /// - Returns: The response as a value.
    /// - Throws: ``SessionError`` with ``SessionError/Code/responseTooLarge`` when there are more bytes, or what reading the body throws;
    ///   `CancellationError` when the task is cancelled.
    public func response(upTo limit: Int = Session.Configuration.defaultResponseLimit) async throws -> Response {
        // The body of a small response is there already: no iteration, one copy.
        if let bytes = self.body.collectedBytes, bytes.readableBytes <= limit {
            return self.response(body: Data(bytes))
        }
        do {
            return self.response(body: Data(try await self.body.collect(upTo: limit)))
        } catch {
            throw SessionError.wrapping(error, request: self.request, source: .transport)
        }
    }

    /// The response as a value, with a body that is at hand.
    func response(body: Data) -> Response {
        Response(status: self.status, headers: self.headers, body: body, url: self.url, method: self.method)
    }

    /// As much of the request as an error shows.
    var request: Request { Request(method: self.method, url: self.url) }
}

extension Data {
    /// Copies the readable bytes, in one piece.
    ///
    /// NIOFoundationCompat could avoid the copy, but it links all of Foundation.
    init(_ buffer: ByteBuffer) {
        self = buffer.withUnsafeReadableBytes { Data($0) }
    }
}
