// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetSerialization
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes

/// Adds the cookies of a command to those that are kept, on the origin that they were written for.
struct CurlCookieText: Interceptor {
    private let pairs: [String]
    private let origin: Origin?
    private let replacesKept: Bool

    /// - Parameters:
    ///   - pairs: The cookies, each a name and a value; nil is returned if there are none.
    ///   - url: The URL of the request that they are written for.
    ///   - replacesKept: Whether a cookie that is kept is left out where one of the command has its name.
    init?(pairs: [String], url: URL, replacesKept: Bool) {
        if pairs.isEmpty { return nil }
        self.pairs = pairs
        self.origin = try? Origin(url)
        self.replacesKept = replacesKept
    }

    /// The cookies of a text in which semicolons separate them.
    static func pairs(_ text: String) -> [String] {
        text.unicodeScalars.split(separator: ";").map { String(Substring($0).trimmingBlanks) }.filter { !$0.isEmpty }
    }

    private static func name(_ pair: String) -> [UInt8] { Array(pair.utf8.prefix { $0 != UInt8(ascii: "=") }) }

    func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
        guard let origin = self.origin, origin == (try? Origin(request.url)) else { return try await next(request) }
        var request = request
        var kept = request.headers[.cookie].map(Self.pairs) ?? []
        if self.replacesKept {
            let names = Set(self.pairs.map(Self.name))
            kept.removeAll { names.contains(Self.name($0)) }
        }
        let value = (kept + self.pairs).joined(separator: "; ")
        // One field (RFC 6265 section 5.4): the subscript for a value would make a field of each cookie.
        request.headers[fields: .cookie] = [HTTPField(name: .cookie, value: value)]
        return try await next(request)
    }
}
