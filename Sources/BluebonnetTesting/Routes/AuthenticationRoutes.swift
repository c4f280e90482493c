// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import NIOCore
import NIOHTTP1

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension BuiltInRoutes {
    static let authenticationRoutes: [BuiltInRoute] = [
        BuiltInRoute("/basic-auth/USER/PASSWORD", "200 with these credentials (RFC 7617), 401 with a challenge without")
        {
            request in
            let segments = request.target.segments
            let wanted = Data("\(segments[1]):\(segments[2])".utf8).base64EncodedString()
            guard Self.credentials(request, scheme: "basic") == wanted else {
                return Self.challenge("Basic realm=\"Bluebonnet\", charset=\"UTF-8\"")
            }
            return .json(.object([("authenticated", .bool(true)), ("user", .string(segments[1]))]))
        },
        BuiltInRoute("/bearer/TOKEN", "200 with this token (RFC 6750), 401 with a challenge without") { request in
            guard Self.credentials(request, scheme: "bearer") == request.target.segments[1] else {
                return Self.challenge("Bearer")
            }
            return .json(.object([("authenticated", .bool(true))]))
        },
    ]

    /// Returns the text after the scheme in the Authorization field.
    private static func credentials(_ request: ReceivedRequest, scheme: String) -> String? {
        let parts = request.head.headers.first(name: "authorization")?.utf8
            .split(separator: UInt8(ascii: " "), maxSplits: 1).map { Substring($0) }
        guard let parts, parts.count == 2, parts[0].asciiLowercased.utf8.elementsEqual(scheme.utf8) else { return nil }
        return String(parts[1])
    }

    private static func challenge(_ challenge: String) -> OutgoingResponse {
        var response = OutgoingResponse.json(.object([("authenticated", .bool(false))]), status: 401)
        response.headers.append(("WWW-Authenticate", challenge))
        return response
    }
}
