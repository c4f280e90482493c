// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization
import FoundationEssentials
import HTTPTypes
import TestSupport
import Testing

@testable import Bluebonnet
@testable import BluebonnetTransport

/// The time of every parser of fields and of small files grows linearly with its input, also for inputs that are made to be slow.
@Suite(.serialized) struct FieldScalingTests {
    struct Subject: Sendable, CustomTestStringConvertible {
        let name: String
        let start: String
        let piece: String
        let read: @Sendable ([UInt8]) -> Void

        init(_ name: String, _ piece: String, _ read: @escaping @Sendable ([UInt8]) -> Void) {
            self.init(name, "", piece, read)
        }

        init(_ name: String, _ start: String, _ piece: String, _ read: @escaping @Sendable ([UInt8]) -> Void) {
            self.name = name
            self.start = start
            self.piece = piece
            self.read = read
        }

        var testDescription: String { "\(self.name): \((self.start + self.piece).debugDescription)" }
    }

    private static let byteCount = 6_000

    private static func fields(_ name: String, _ bytes: [UInt8]) -> HTTPFields {
        var fields = HTTPFields()
        if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, lenientValue: bytes)) }
        return fields
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    // MARK: Authentication

    private static func challenges(_ bytes: [UInt8]) {
        var challenges: [HTTPChallenge] = []
        var parser = ChallengeParser(bytes)
        parser.read(into: &challenges)
        _ = ChallengeCandidate.candidates(challenges)
        var list = ChallengeParser(bytes)
        _ = list.parameters()
    }

    /// The whole of Digest, with a text as the value of one of its parameters.
    private static func digest(_ name: String, _ bytes: [UInt8]) {
        var values = ["realm": "r", "nonce": "n", "qop": "auth"]
        values[name] = Self.text(bytes)
        let parameters = values.map { HTTPChallenge.Parameter(name: $0.key, value: $0.value) }
        guard let challenge = DigestChallenge(HTTPChallenge(scheme: .digest, parameters: parameters)) else { return }
        let session = DigestSession(challenge, clientNonce: "c")
        let answer = DigestAnswer(session, user: "u", password: "p", DigestAnswer.Subject(method: "GET", target: "/"))
        _ = answer.accepts(parameters + [HTTPChallenge.Parameter(name: "rspauth", value: Self.text(bytes))]) { _ in nil
        }
    }

    private static func netrc(_ bytes: [UInt8]) { _ = try? Netrc(parsing: bytes) }

    static let authentication: [Subject] = [
        Subject("challenges", "A,", Self.challenges),
        Subject("challenges", "A ", Self.challenges),
        Subject("challenges", ",", Self.challenges),
        Subject("challenges", "A ", "a=b,", Self.challenges),
        Subject("challenges", "A b=\"", "\\\"", Self.challenges),
        Subject("challenges", "A ", "=", Self.challenges),
        Subject("challenges", "A b=\"", "x", Self.challenges),
        Subject("challenges", "Basic realm=\"x\", ", Self.challenges),
        Subject("challenges", "a=\"b\", ", Self.challenges),
        Subject("Digest, qop", "auth, ") { Self.digest("qop", $0) },
        Subject("Digest, realm", "\"") { Self.digest("realm", $0) },
        Subject("Digest, nonce", "\\") { Self.digest("nonce", $0) },
        Subject("Digest, opaque", "\"") { Self.digest("opaque", $0) },
        Subject("Digest, algorithm", "x") { Self.digest("algorithm", $0) },
        Subject("netrc", "machine a login b password c\n", Self.netrc),
        Subject("netrc", "\"a\\\"", Self.netrc),
        Subject("netrc", "macdef m\n\n", Self.netrc),
        Subject("netrc", "#\n", Self.netrc),
    ]

    // MARK: Caching

    private static func directives(_ bytes: [UInt8]) { _ = CacheDirectives(Self.fields("Cache-Control", bytes)) }

    private static func tags(_ bytes: [UInt8]) {
        _ = EntityTag.list([Self.text(bytes)], matches: EntityTag("\"y\""))
    }

    private static func date(_ bytes: [UInt8]) { _ = HTTPDate.seconds(Self.text(bytes), now: 0) }

    static let caching: [Subject] = [
        Subject("Cache-Control", "\"", Self.directives),
        // Every quote is escaped, seen from the one before it.
        Subject("Cache-Control", "\"", "\\\"", Self.directives),
        Subject("Cache-Control", "a=\"", "\\", Self.directives),
        Subject("Cache-Control", ",", Self.directives),
        Subject("Cache-Control", "private=\"a\",", Self.directives),
        Subject("Cache-Control", "no-cache=\"a, b\",", Self.directives),
        Subject("Cache-Control", "max-age=1,", Self.directives),
        Subject("Cache-Control", "max-age=", "1", Self.directives),
        Subject("entity tags", "\"x\",", Self.tags),
        Subject("entity tags", "\"", Self.tags),
        Subject("dates", "Sun, ", Self.date),
        Subject("dates", "1", Self.date),
    ]

    // MARK: Cookies

    private static func cookieFile(_ bytes: [UInt8]) {
        _ = NetscapeCookieFile.text(of: NetscapeCookieFile.cookies(in: bytes, at: .now))
    }

    private static func cookieRecord(_ bytes: [UInt8]) { _ = CookieRecord.change(bytes[...]) }

    private static func suffixes(_ bytes: [UInt8]) {
        _ = (try? PublicSuffixList(bytes))?.publicSuffix(of: Self.text(bytes))
    }

    static let cookies: [Subject] = [
        Subject("cookies.txt", "a.b\tTRUE\t/\tTRUE\t0\tn\tv\n", Self.cookieFile),
        Subject("cookies.txt", "\t", Self.cookieFile),
        Subject("cookies.txt", "\r", Self.cookieFile),
        Subject("cookies.txt", "#\n", Self.cookieFile),
        Subject("record of a cookie", "%41", Self.cookieRecord),
        Subject("record of a cookie", "\t", Self.cookieRecord),
        Subject("public suffixes", "a.", Self.suffixes),
        Subject("public suffixes", "!a\n", Self.suffixes),
        Subject("public suffixes", "//\n", Self.suffixes),
    ]

    // MARK: Transfers

    private static func disposition(_ bytes: [UInt8]) {
        _ = SuggestedFilename.name(disposition: Self.text(bytes), urlPath: Self.text(bytes))
    }

    private static func digests(_ bytes: [UInt8]) { _ = DigestFields(Self.fields("Repr-Digest", bytes)) }

    private static func limits(_ bytes: [UInt8]) { _ = Self.fields("Upload-Limit", bytes).uploadLimits }

    private static func bypass(_ bytes: [UInt8]) { _ = try? ProxyBypass(Self.text(bytes)) }

    static let transfers: [Subject] = [
        Subject("Content-Disposition", "; a=\"b\"", Self.disposition),
        Subject("Content-Disposition", ";", Self.disposition),
        Subject("Content-Disposition", "attachment; filename=\"", "\\", Self.disposition),
        Subject("Content-Disposition", "attachment; filename*=UTF-8''", "%41", Self.disposition),
        Subject("Content-Disposition", "/", Self.disposition),
        Subject("digests", "sha-256=:AAAA:,", Self.digests),
        Subject("digests", "a=::,", Self.digests),
        Subject("digests", "a=(", "1 ", Self.digests),
        Subject("digests", "a=\"", "\\\"", Self.digests),
        Subject("digests", "a=::", ";a=1", Self.digests),
        Subject("Upload-Limit", "max-size=1,", Self.limits),
        Subject("Upload-Limit", " ", Self.limits),
        Subject("no_proxy", "a.b,", Self.bypass),
        Subject("no_proxy", ":", Self.bypass),
    ]

    static let subjects: [Subject] = [Self.authentication, Self.caching, Self.cookies, Self.transfers].flatMap { $0 }

    @Test(arguments: Self.subjects)
    func `the time to read fields and small files grows linearly`(_ subject: Subject) throws {
        let seconds = try Scaling.seconds { factor in
            let count = Self.byteCount * factor / subject.piece.utf8.count
            let bytes = Array((subject.start + String(repeating: subject.piece, count: count)).utf8)
            return { subject.read(bytes) }
        }
        #expect((seconds.last ?? 0) / (seconds.first ?? 1) < Scaling.largestGrowth, "\(seconds)")
    }

    @Test(.bug(id: "F614")) func `the time to convert a host name of many characters grows linearly`() throws {
        let seconds = try Scaling.seconds { factor in
            let letters = (0..<UInt32(100 * factor)).compactMap { Unicode.Scalar(0x4E00 + $0) }
            let host = String(String.UnicodeScalarView(letters))
            return { _ = InternationalHost.ascii(host) }
        }
        #expect((seconds.last ?? 0) / (seconds.first ?? 1) < Scaling.largestGrowth, "\(seconds)")
    }
}
