// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import Foundation
import HTTPTypes

@testable import Bluebonnet
@testable import BluebonnetTransport

/// Checks that any bytes are challenges or none, and that credentials are one field with the challenge's parameters.
///
/// Each line is a `WWW-Authenticate` field. The last one is an `Authentication-Info` field, too, and all lines are a
/// netrc file.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = [UInt8](UnsafeBufferPointer(start: start, count: count))
    let lines = input.split(separator: 0x0A, maxSplits: 8)
    var headers = HTTPFields()
    for line in lines { headers.append(HTTPField(name: .wwwAuthenticate, lenientValue: line)) }
    let challenges = HTTPChallenge.challenges(in: headers)
    precondition(challenges.count <= 16 * max(lines.count, 1), "more challenges than the limit")
    for challenge in challenges { check(challenge) }
    var parser = ChallengeParser(Array(lines.last ?? []))
    let information = parser.parameters() ?? []
    for candidate in ChallengeCandidate.candidates(challenges) {
        guard let digest = candidate.digest else { continue }
        answer(digest, information)
    }
    _ = try? Netrc(parsing: input)
    return 0
}

private func check(_ challenge: HTTPChallenge) {
    precondition(!challenge.scheme.name.isEmpty, "a challenge without a scheme")
    precondition(challenge.scheme.name.utf8.allSatisfy(\.isTokenByte), "a scheme that is no token")
    precondition(challenge.parameters.count <= 32, "more parameters than the limit")
    precondition(
        Set(challenge.parameters.map(\.name)).count == challenge.parameters.count,
        "a parameter that came twice"
    )
    for parameter in challenge.parameters {
        precondition(parameter.name.utf8.allSatisfy(\.isTokenByte), "a name that is no token")
        precondition(parameter.value.utf8.allSatisfy { $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }, "a control character")
    }
}

private func answer(_ digest: DigestChallenge, _ information: [HTTPChallenge.Parameter]) {
    let session = DigestSession(digest, clientNonce: "c")
    let subject = DigestAnswer.Subject(method: "GET", target: "/\"\\", bodyDigest: "0")
    let answer = DigestAnswer(session, user: "J\u{E4}s\u{F8}n \"Doe\"", password: "secret", subject)
    var parser = ChallengeParser(Array(answer.field.utf8))
    var fields: [HTTPChallenge] = []
    parser.read(into: &fields)
    // Credentials have the grammar of a challenge, so that quoted strings can be parsed and compared.
    precondition(fields.count == 1, "credentials that are not one field")
    precondition(fields[0].realm?.utf8.elementsEqual(digest.realm.utf8) == true, "another realm came back")
    precondition(fields[0]["nonce"]?.utf8.elementsEqual(digest.nonce.utf8) == true, "another nonce came back")
    _ = answer.accepts(information) { _ in "0" }
    if let next = information.first(where: { $0.name == "nextnonce" }) {
        session.advance(to: next.value, after: answer.ticket)
        precondition(session.nonce.utf8.elementsEqual(next.value.utf8), "the next nonce is not used")
    }
}
