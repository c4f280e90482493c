// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import Foundation
import HTTPTypes

@testable import Bluebonnet

/// Checks that no header fields for caching cause an overflow, and that `no-store` is always found.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    let lines = input.split(separator: 0x0A, maxSplits: 4, omittingEmptySubsequences: false)
    func field(_ name: HTTPField.Name, _ index: Int) -> HTTPField? {
        index < lines.count ? HTTPField(name: name, lenientValue: lines[index]) : nil
    }
    var headers = HTTPFields()
    for one in [field(.cacheControl, 0), field(.expires, 1), field(.date, 2), field(.age, 3), field(.lastModified, 4)] {
        if let one { headers.append(one) }
    }
    let directives = CacheDirectives(headers)
    check(directives)
    for now in [Int64(0), 1_700_000_000, .max] {
        let freshness = Freshness(
            status: 200,
            headers: headers,
            directives: directives,
            responseTime: 1_700_000_000,
            responseDelay: 1,
            rules: Freshness.Rules()
        )
        precondition(
            freshness.lifetime >= 0 && freshness.initialAge >= 0 && freshness.age(at: now) >= 0,
            "negative time"
        )
    }
    let text = headers[.cacheControl] ?? ""
    // A directive is found before and after any other field value.
    for both in ["\(text), no-store", "no-store,\(text)"] {
        precondition(CacheDirectives([.cacheControl: both]).noStore, "no-store is hidden by \(text)")
    }
    checkLists(text)
    if let delay = RetryAfter.delay([.retryAfter: headers[.expires] ?? ""], now: { 1_700_000_000 }) {
        precondition(delay >= .zero, "a negative delay")
    }
    return 0
}

private func check(_ directives: CacheDirectives) {
    for number in [
        directives.maxAge, directives.sharedMaxAge, directives.staleWhileRevalidate, directives.staleIfError,
    ] {
        precondition((0...DeltaSeconds.largest).contains(number ?? 0), "a number beyond its limit")
    }
    for scope in [directives.noCache, directives.isPrivate] {
        guard case .fields(let names) = scope else { continue }
        precondition(!names.isEmpty && names.allSatisfy { HTTPField.Name($0) != nil }, "names that are none")
    }
}

private func checkLists(_ text: String) {
    let parts = FieldList.parts(of: text)
    precondition(parts.allSatisfy { !$0.isEmpty && $0.trimmingBlanks == $0 }, "a member with white space around it")
    let again = FieldList.parts(of: parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ","))
    // Without an unterminated quoted string, a list is unchanged when it is encoded and parsed again.
    if !text.utf8.contains(UInt8(ascii: "\"")) { precondition(again == parts, "\(text) came back differently") }
    if let tag = EntityTag(text) {
        precondition(tag.matchesWeakly(tag) && tag.matchesStrongly(tag) != tag.isWeak, "a tag that is not itself")
        precondition(EntityTag.list([text], matches: tag), "a tag that is not in its list")
    }
    _ = EntityTag.list([text], matches: EntityTag("\"x\""))
    if let range = ByteRangeRequest(text)?.range(in: 1000) {
        precondition(!range.isEmpty && range.lowerBound >= 0 && range.upperBound <= 1000, "a range outside the body")
    }
    if let seconds = HTTPDate.seconds(text, now: 1_700_000_000) {
        precondition((-62_135_596_800...253_402_300_800).contains(seconds), "a date outside the calendar")
    }
}
