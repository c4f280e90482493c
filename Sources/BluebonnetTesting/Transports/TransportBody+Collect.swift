// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetTransport
public import HTTPTypes
public import NIOCore

extension TransportBody {
    /// Reads the whole body, as a transport would, so that a stub can inspect it.
    ///
    /// Blocks if the body's reader does.
    ///
    /// - Parameter limit: The largest number of bytes to read; 16 MiB unless given.
    /// - Returns: The bytes.
    /// - Throws: `TransportError.Code.bodyFailed` for a body longer than the limit; otherwise the error of its reader.
    public func collect(upTo limit: Int = 16 * 1024 * 1024) throws -> ByteBuffer {
        switch self {
        case .none: return ByteBuffer()
        case .bytes(let bytes): return bytes
        case .reader, .file:
            guard var reader = try self.makeReader() else { return ByteBuffer() }
            var all = ByteBuffer()
            while true {
                let count = try all.writeWithUnsafeMutableBytes(minimumWritableBytes: 65536) {
                    try reader.read(into: $0)
                }
                if count == 0 { return all }
                guard all.readableBytes <= limit else {
                    throw TransportError(
                        .bodyFailed,
                        phase: .requestBody,
                        reason: "the body is longer than \(limit) bytes"
                    )
                }
            }
        }
    }
}

extension TransportResponse {
    /// Returns a response of type `application/json`.
    ///
    /// - Parameters:
    ///   - text: The document; it is not checked.
    ///   - status: The status; 200 unless given.
    /// - Returns: The response.
    public static func json(_ text: String, status: HTTPResponse.Status = .ok) -> TransportResponse {
        self.text(text, type: "application/json", status: status)
    }

    /// Returns a response with text.
    ///
    /// - Parameters:
    ///   - text: The text, sent in UTF-8.
    ///   - type: The value of Content-Type.
    ///   - status: The status; 200 unless given.
    /// - Returns: The response.
    public static func text(
        _ text: String,
        type: String = "text/plain; charset=utf-8",
        status: HTTPResponse.Status = .ok
    ) -> TransportResponse {
        TransportResponse(status: status, headers: [.contentType: type], body: ResponseBody(ByteBuffer(string: text)))
    }
}
