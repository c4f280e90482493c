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
    /// - Throws: `TransportError.Code.bodyFailed` for a body longer than the limit, and for a reader that claims an
    ///   impossible number of bytes; otherwise the error of its reader.
    public func collect(upTo limit: Int = 16 * 1024 * 1024) throws -> ByteBuffer {
        var all = ByteBuffer()
        switch self {
        case .none: break
        case .bytes(let bytes): all = bytes
        case .reader, .file:
            guard var reader = try self.makeReader() else { break }
            while all.readableBytes <= limit {
                let count = try all.writeWithUnsafeMutableBytes(minimumWritableBytes: 65536) { space in
                    let count = try reader.read(into: space)
                    guard (0...space.count).contains(count) else {
                        throw Self.failure("the body's reader claims \(count) bytes in a buffer of \(space.count)")
                    }
                    return count
                }
                if count == 0 { break }
            }
        }
        guard all.readableBytes <= limit else { throw Self.failure("the body is longer than \(limit) bytes") }
        return all
    }

    private static func failure(_ reason: String) -> TransportError {
        TransportError(.bodyFailed, phase: .requestBody, reason: reason)
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
