// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetTransport
public import HTTPTypes
import NIOCore

extension TransportResponse {
    /// Returns a response of type `application/json`.
    ///
    /// - Parameters:
    ///   - text: The document; it is not checked.
    ///   - status: The status; 200 unless given.
    ///   - headers: More header fields; a Content-Type replaces that of the response.
    /// - Returns: The response.
    public static func json(
        _ text: String,
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = HTTPFields()
    ) -> TransportResponse {
        self.text(text, type: "application/json", status: status, headers: headers)
    }

    /// Returns a response with text.
    ///
    /// - Parameters:
    ///   - text: The text, sent in UTF-8.
    ///   - type: The value of Content-Type.
    ///   - status: The status; 200 unless given.
    ///   - headers: More header fields; a Content-Type replaces that of the response.
    /// - Returns: The response.
    public static func text(
        _ text: String,
        type: String = "text/plain; charset=utf-8",
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = HTTPFields()
    ) -> TransportResponse {
        let body = ResponseBody(ByteBuffer(string: text))
        return TransportResponse(status: status, headers: headers.ofType(type), body: body)
    }

    /// Returns a response with bytes, for example a picture.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - type: The value of Content-Type.
    ///   - status: The status; 200 unless given.
    ///   - headers: More header fields; a Content-Type replaces that of the response.
    /// - Returns: The response.
    public static func data(
        _ bytes: some Sequence<UInt8>,
        type: String = "application/octet-stream",
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = HTTPFields()
    ) -> TransportResponse {
        let body = ResponseBody(ByteBuffer(bytes: bytes))
        return TransportResponse(status: status, headers: headers.ofType(type), body: body)
    }

    /// Returns a response whose body comes from an asynchronous sequence of bytes.
    ///
    /// The sequence is iterated as the body is read, from its beginning and once.
    ///
    /// - Parameters:
    ///   - pieces: The pieces of the body, for example an `AsyncStream<Data>`. An error that it throws is that of the
    ///     body; a `TransportError` is what a real transport throws.
    ///   - type: The value of Content-Type.
    ///   - status: The status; 200 unless given.
    ///   - headers: More header fields; a Content-Type replaces that of the response.
    /// - Returns: The response.
    public static func stream<Pieces: AsyncSequence & Sendable>(
        _ pieces: Pieces,
        type: String = "application/octet-stream",
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = HTTPFields()
    ) -> TransportResponse where Pieces.Element: Sequence<UInt8> {
        let source = SequenceBody(pieces) { ByteBuffer(bytes: $0) }
        return self.streaming(source, status, headers.ofType(type))
    }

    /// Returns a response whose body comes from an asynchronous sequence of texts, such as an event stream.
    ///
    /// ```swift
    /// let (events, server) = AsyncStream.makeStream(of: String.self)
    /// let transport = StubTransport { _ in .stream(events, type: "text/event-stream") }
    /// server.yield("data: 1\n\n")
    /// ```
    ///
    /// The sequence is iterated as the body is read, from its beginning and once.
    ///
    /// - Parameters:
    ///   - pieces: The pieces of the body, sent in UTF-8. An error that it throws is the error of the body; a
    ///     `TransportError` is what a real transport throws.
    ///   - type: The value of Content-Type.
    ///   - status: The status; 200 unless given.
    ///   - headers: More header fields; a Content-Type replaces that of the response.
    /// - Returns: The response.
    public static func stream<Pieces: AsyncSequence & Sendable>(
        _ pieces: Pieces,
        type: String = "text/plain; charset=utf-8",
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = HTTPFields()
    ) -> TransportResponse where Pieces.Element == String {
        let source = SequenceBody(pieces) { ByteBuffer(string: $0) }
        return self.streaming(source, status, headers.ofType(type))
    }

    private static func streaming(
        _ source: any ResponseBody.Source,
        _ status: HTTPResponse.Status,
        _ headers: HTTPFields
    ) -> TransportResponse {
        let body = ResponseBody(source: source, expectedLength: headers[.contentLength].flatMap { Int64($0) })
        return TransportResponse(status: status, headers: headers, body: body)
    }
}
