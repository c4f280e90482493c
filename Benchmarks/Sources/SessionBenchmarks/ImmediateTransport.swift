// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import HTTPTypes
import NIOCore

/// A transport that responds at once with the same 200 bytes, so that only the cost of the session is measured.
struct ImmediateTransport: Transport {
    private let response: TransportResponse

    /// Creates a transport.
    ///
    /// - Parameter headers: Header fields of the response in addition to its type and length.
    init(headers: HTTPFields = [:]) {
        var fields: HTTPFields = [.contentType: "text/plain", .contentLength: "200"]
        fields.append(contentsOf: headers)
        self.response = TransportResponse(
            status: .ok,
            headers: fields,
            body: ResponseBody(ByteBuffer(repeating: UInt8(ascii: "b"), count: 200))
        )
    }

    func exchange(_ request: TransportRequest) async throws -> TransportResponse { self.response }

    func shutdown() async {}
}
