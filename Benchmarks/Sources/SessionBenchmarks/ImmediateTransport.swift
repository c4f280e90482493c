// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import HTTPTypes
import NIOCore

/// A transport that responds at once with the same 200 bytes, so that only the cost of the session is measured.
struct ImmediateTransport: Transport {
    private let response: TransportResponse
    /// The response to a request without credentials; nil if none are needed.
    private let challenge: TransportResponse?

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - headers: Header fields of the response in addition to its type and length.
    ///   - challenge: The challenge for a request without credentials; nil to need none.
    init(headers: HTTPFields = [:], challenge: String? = nil) {
        var fields: HTTPFields = [.contentType: "text/plain", .contentLength: "200"]
        fields.append(contentsOf: headers)
        self.response = TransportResponse(
            status: .ok,
            headers: fields,
            body: ResponseBody(ByteBuffer(repeating: UInt8(ascii: "b"), count: 200))
        )
        self.challenge = challenge.map {
            TransportResponse(status: .unauthorized, headers: [.wwwAuthenticate: $0, .contentLength: "0"])
        }
    }

    func exchange(_ request: TransportRequest) async throws -> TransportResponse {
        guard let challenge, request.headers[.authorization] == nil else { return self.response }
        return challenge
    }

    func shutdown() async {}
}
