// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import HTTPTypes

/// The responses of `serve --echo`, which describe the request that was received.
enum ServedEcho {
    /// Returns a JSON document with the method, the target, the header fields and the body, if it is text.
    static func response(to request: RecordedRequest) -> ScriptedResponse {
        let headers = request.headers.map { JSONValue.array([.string($0.name.rawName), .string($0.value)]) }
        let body = String(validating: request.body, as: UTF8.self)
        let document: JSONValue = [
            "method": .string(request.method.rawValue), "target": .string(request.target), "headers": .array(headers),
            "body": body.map { .string($0) } ?? .null, "bodyByteCount": JSONValue(request.bodyByteCount),
            "bodySHA256": .string(request.bodySHA256),
        ]
        return .json(String(decoding: JSONFormatter.formatted(document.serialized()), as: UTF8.self))
    }
}
