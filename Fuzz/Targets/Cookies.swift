// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import Foundation

@testable import Bluebonnet

/// Checks that any server or file leaves only valid cookies in a jar, which sends only bytes that a field may contain.
///
/// The first byte selects a Set-Cookie field, a `cookies.txt`, a record of a store, or a list of public suffixes; the
/// rest is its content.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = [UInt8](UnsafeBufferPointer(start: start, count: count))
    guard let choice = input.first else { return 0 }
    let bytes = Array(input.dropFirst())
    switch choice % 4 {
    case 0: receive(bytes, isSecure: choice & 4 != 0)
    case 1: readFile(bytes)
    case 2: readRecord(bytes)
    default: readSuffixes(bytes)
    }
    return 0
}

private let now = Date(timeIntervalSince1970: 1_700_000_000)
private let host = "www.shop.example.co.uk"

private func target(_ scheme: String, _ host: String) -> RequestTarget {
    guard let url = URL(string: "\(scheme)://\(host)/a/b?c"), let target = try? RequestTarget(url) else {
        fatalError("no target for \(host)")
    }
    return target
}

/// Receives a response with a field for every line of the input.
private func receive(_ bytes: [UInt8], isSecure: Bool) {
    let jar = CookieJar(now: { now })
    let own = CookieRequest(target(isSecure ? "https" : "http", host), jar.options)
    for line in bytes.split(separator: 0x0A, maxSplits: 8) {
        var outcome = Result<Cookie, Cookie.Refusal>.failure(.empty)
        jar.change { outcome = $0.receive(line, from: own, jar.options) }
        guard case .success(let cookie) = outcome else { continue }
        check(cookie)
        precondition(isSecure || !cookie.isSecure, "a secure cookie came over plain http")
        precondition(CookieRequest.host(host, matches: cookie.domain), "a cookie for another host")
        precondition(!jar.options.suffixes.isPublicSuffix(cookie.domain), "a cookie for a public suffix")
        if let expires = cookie.expires {
            precondition(
                expires.timeIntervalSince(now) <= Double(jar.options.maximumLifetime.components.seconds),
                "a long life"
            )
        }
    }
    for other in ["evil.example", "example.co.uk.evil.example", "co.uk", "notexample.co.uk"] {
        let request = CookieRequest(target("https", other), jar.options)
        precondition(jar.field(for: request) == nil, "a cookie went to \(other)")
    }
    if let field = jar.field(for: own) {
        precondition(!field.contains(where: SetCookie.isControl), "a control character in a field")
        precondition(field.count <= jar.options.maximumFieldByteCount, "a field beyond the limit")
    }
}

/// Reads a cookie file, and checks that it is unchanged when it is written and read again.
private func readFile(_ bytes: [UInt8]) {
    let cookies = NetscapeCookieFile.cookies(in: bytes, at: now)
    for cookie in cookies { check(cookie) }
    let (text, omitted) = NetscapeCookieFile.text(of: cookies)
    let kept = cookies.filter { !omitted.contains($0) }
    let again = NetscapeCookieFile.cookies(in: text, at: now)
    precondition(again.count == kept.count, "\(kept.count) cookies became \(again.count)")
    for (before, after) in zip(kept, again) {
        precondition(
            before.identity == after.identity && before.valueBytes == after.valueBytes,
            "another cookie came back"
        )
        precondition(
            before.isSecure == after.isSecure && before.isHTTPOnly == after.isHTTPOnly,
            "another property came back"
        )
    }
}

private func readRecord(_ bytes: [UInt8]) {
    if let change = CookieRecord.change(bytes[...]) { check(change.cookie) }
    // A cookie of any bytes is unchanged when its record is written and read.
    for cookie in NetscapeCookieFile.cookies(in: bytes, at: now) {
        let line = CookieRecord.line(.set(cookie))
        guard case .set(let read)? = CookieRecord.change(line.dropLast()) else { fatalError("a record was lost") }
        precondition(
            read.identity == cookie.identity && read.valueBytes == cookie.valueBytes,
            "another record came back"
        )
    }
}

private func readSuffixes(_ bytes: [UInt8]) {
    let list = (try? PublicSuffixList(bytes)) ?? .builtIn
    let name = String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
    for host in [name, "a.\(name)", "a.b.\(name)", host] {
        guard let suffix = list.publicSuffix(of: host) else { continue }
        precondition(host.utf8.count >= suffix.utf8.count, "a suffix that is longer than its host")
        guard let domain = list.registrableDomain(of: host) else { continue }
        precondition(domain.utf8.count > suffix.utf8.count && !list.isPublicSuffix(domain), "\(domain) is no domain")
    }
}

private func check(_ cookie: Cookie) {
    do { try cookie.check() } catch { fatalError("a cookie that cannot be one: \(error)") }
    precondition(!(cookie.nameBytes + cookie.valueBytes).contains(where: SetCookie.isControl), "a control character")
}
