// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetConfiguration
@testable import BluebonnetDiskCache
@testable import BluebonnetImages
@testable import BluebonnetSerialization
@testable import BluebonnetTesting
@testable import BluebonnetTransport

/// What Foundation says about the errors of the library, in an alert for example.
@Suite struct LocalizedErrorTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let error: any Error
        let sentence: String

        var testDescription: String { "\(type(of: self.error))" }

        init(_ error: any Error, _ sentence: String) {
            self.error = error
            self.sentence = sentence
        }
    }

    static let cases = [
        Case(SessionError(.shutDown, reason: "the end"), "shutDown: the end"),
        Case(SerializationError(.emptyBody, reason: "the end"), "the end"),
        Case(TransportError(.timedOut, phase: .connect, reason: "the end"), "the end"),
        Case(TrustRefusal("the end"), "the end"),
        Case(
            PinReport(host: "h", pattern: "*.h", seen: [], expected: [], isEnforced: true),
            "no key of h is pinned for *.h; its verified path has "
        ),
        Case(OAuth2Error(.invalidGrant, reason: "from the server"), "OAuth 2 error invalid_grant"),
        Case(Cookie.Refusal.invalidPath, "the path of the cookie does not begin with a slash"),
        Case(
            JSONSyntaxError(line: 1, column: 2, byteOffset: 3, reason: "the end"),
            "line 1, column 2 (byte 3): the end"
        ),
        Case(SettingError(key: "a", value: nil, reason: "is missing"), "the setting a is missing"),
        Case(DiskCacheError(reason: "the end"), "the disk cache failed: the end"),
        Case(ImageError(.malformed, reason: "the end"), "the end"),
        Case(TestServerError(.timedOut, reason: "the end"), "the end"),
        Case(HTTPArchiveError(.malformed, "the end"), "the end"),
        Case(
            TransportConformance.Failure(TransportConformance.Check("a", "it ends") { _ in }, "it went on", nil),
            "a: “it ends” – but it went on"
        ),
    ]

    @Test(arguments: Self.cases)
    func `every public error says what happened`(_ one: Case) {
        #expect(one.error.localizedDescription == one.sentence)
    }

    @Test(arguments: Cookie.Refusal.allCases)
    func `every refusal of a cookie is a sentence`(_ refusal: Cookie.Refusal) {
        let sentence = (refusal as any Error).localizedDescription
        #expect(sentence.contains(" ") && !sentence.contains(refusal.rawValue))
        // Foundation has a sentence for every error, which says nothing but its type.
        #expect(sentence.contains("cookie") || sentence.contains("URL"))
    }
}
