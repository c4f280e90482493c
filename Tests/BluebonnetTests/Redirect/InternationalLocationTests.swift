// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// Location fields whose host is not ASCII.
@Suite(.timeLimit(.minutes(1))) struct InternationalLocationTests {
    /// Parts of a field that are text, and bytes that are not UTF-8.
    enum Part: Sendable {
        case text(String)
        case byte(UInt8)

        var bytes: [UInt8] {
            switch self {
            case .text(let text): Array(text.utf8)
            case .byte(let byte): [byte]
            }
        }
    }

    struct Case: Sendable {
        var location: [Part]
        var host: String?
    }

    @Test(arguments: [
        Case(location: [.text("https://b\u{FC}cher.example/end")], host: "xn--bcher-kva.example"),
        Case(location: [.text("//B\u{DC}CHER.example/end")], host: "xn--bcher-kva.example"),
        // Latin-1, which nothing says.
        Case(location: [.text("https://b"), .byte(0xFC), .text("cher.example/end")]),
        Case(location: [.text("https://b"), .byte(0xC3), .text("/end")]),
        Case(location: [.text("https://b\u{FC}\u{301}.example/end")]),
        Case(location: [.text("https://"), .byte(0x80), .text("@h.example/end")], host: "h.example"),
    ])
    func `a host in UTF-8 is followed to its ASCII form, any other host is not`(
        _ row: Case
    ) async throws {
        let location = row.location.flatMap(\.bytes)
        let transport = StubTransport { request in
            guard request.target == "/start" else { return .plain("end") }
            var headers = HTTPFields()
            headers.append(HTTPField(name: .location, lenientValue: location))
            return TransportResponse(status: .found, headers: headers)
        }
        var request = Request(url: try Peer.url("https://h/start"))
        request.headers[.authorization] = "Bearer secret"
        let response = try await Session(transport: transport).response(for: request)
        #expect(response.status == (row.host == nil ? .found : .ok))
        #expect(transport.requests.dropFirst().map(\.origin.host) == (row.host.map { [$0] } ?? []))
        #expect(transport.requests.dropFirst().allSatisfy { $0.headers[.authorization] == nil })
    }
}
