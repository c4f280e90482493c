// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import HTTPTypes

extension ScriptedResponse {
    /// The requested range of a file of one version, or the whole file.
    static func range(of whole: [UInt8], for request: RecordedRequest, _ effect: SocketEffect) -> ScriptedResponse {
        var response = ScriptedResponse(
            headers: [.eTag: "\"v1\"", .acceptRanges: "bytes"],
            body: .bytes(whole),
            effect: effect
        )
        let range = request.headers[.range]?.dropFirst("bytes=".count).split(separator: "-")
        guard let first = range?.first.flatMap({ Int($0) }) else { return response }
        let last = range?.dropFirst().first.flatMap { Int($0) } ?? whole.count - 1
        response.status = .partialContent
        response.headers[.contentRange] = "bytes \(first)-\(last)/\(whole.count)"
        response.body = .bytes(Array(whole[first...last]))
        return response
    }
}
