// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import HTTPTypes

extension CookieJar {
    /// The value of the Cookie field of a request (RFC 6265bis section 5.8.3); nil if there is no cookie for it.
    func field(for request: CookieRequest) -> [UInt8]? {
        let cookies = self.read { $0.match(request, isUse: true) }
        var field: [UInt8] = []
        for cookie in cookies {
            let (name, value) = (cookie.nameBytes, cookie.valueBytes)
            guard field.count + name.count + value.count + 3 <= self.options.maximumFieldByteCount else { break }
            if !field.isEmpty { field += [UInt8(ascii: ";"), UInt8(ascii: " ")] }
            if !name.isEmpty {
                field += name
                field.append(UInt8(ascii: "="))
            }
            field += value
        }
        return field.isEmpty ? nil : field
    }

    /// Accepts the cookies of a response; refused ones are ignored.
    func receive(_ fields: some Sequence<HTTPField>, from request: CookieRequest) {
        self.change { transaction in
            for field in fields {
                field.withUnsafeBytesOfValue { _ = transaction.receive($0, from: request, self.options) }
            }
        }
    }
}

extension CookieTransaction {
    /// Parses a Set-Cookie field, and keeps its cookie if it breaks no rule (RFC 6265bis sections 5.6 and 5.7).
    mutating func receive(
        _ field: some Collection<UInt8>,
        from request: CookieRequest,
        _ options: CookieJar.Options
    ) -> Result<Cookie, Cookie.Refusal> {
        do throws(Cookie.Refusal) {
            let parsed = try SetCookie(field, options)
            let cookie = try Cookie(parsed, from: request, at: self.time, options)
            if !request.isSecure, !cookie.isSecure, self.table.hidesSecureCookie(cookie) {
                throw .secureCookieExists
            }
            self.set(cookie)
            return .success(cookie)
        } catch {
            return .failure(error)
        }
    }
}
