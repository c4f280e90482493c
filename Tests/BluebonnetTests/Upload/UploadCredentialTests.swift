// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// The credentials of a request, and the URL at which its upload goes on.
@Suite(.timeLimit(.minutes(1))) struct UploadCredentialTests {
    enum Source: String, CaseIterable, Sendable {
        case bearer, tokens, preemptive, basic, digest, password, netrc, userInformation
    }

    private static let home = Origin(scheme: .http, host: "h")

    /// Creates uploads at a location.
    ///
    /// Every origin asks for credentials, and only the home accepts them.
    private static func transport(_ location: String) -> StubTransport {
        StubTransport { request in
            guard request.headers[.authorization] != nil, request.origin == Self.home else {
                var response = TransportResponse.plain("", status: 401)
                for challenge in [#"Digest realm="r", nonce="n", qop="auth""#, #"Basic realm="r""#] {
                    response.headers.append(HTTPField(name: .wwwAuthenticate, value: challenge))
                }
                return response
            }
            switch request.method {
            case .post:
                // Only a creation of the draft begins with a piece.
                let isDraft = request.headers[.complete] != nil
                var headers = HTTPFields.having(isDraft ? 100 : 0)
                headers[.location] = location
                return .plain("", status: 201, headers: headers)
            case .patch:
                let offset = (Int(request.headers[.offset] ?? "") ?? 0) + 100
                var headers = HTTPFields.having(offset)
                headers[.complete] = offset == 300 ? "?1" : "?0"
                return .plain("", status: 204, headers: headers)
            default: return .plain("", status: 204)
            }
        }
    }

    private static func upload(_ isDraft: Bool) -> ResumableUpload {
        var upload = isDraft ? ResumableUpload.draft() : .tus()
        upload.pieceSize = .fixed(100)
        return upload
    }

    private static func request(_ source: Source) throws -> (Request, AuthenticationPolicy) {
        var request = Request(method: .post, url: try Peer.url("http://h/files"))
        switch source {
        case .bearer: request.authentication = .bearer("s3cret")
        case .tokens: request.authentication = .bearer { AccessToken("s3cret") }
        case .preemptive: request.authentication = .basic("ada", "s3cret", isPreemptive: true)
        case .basic: request.authentication = .basic("ada", "s3cret")
        case .digest: request.authentication = .digest("ada", "s3cret")
        case .password: request.authentication = .password("ada", "s3cret")
        case .netrc: return (request, .netrc(try Netrc(parsing: Array("machine h login ada password s3cret".utf8))))
        case .userInformation: request.url = try Peer.url("http://ada:s3cret@h/files")
        }
        return (request, .anonymous)
    }

    private static func send(_ source: Source, _ isDraft: Bool, to transport: StubTransport) async throws {
        let (request, policy) = try Self.request(source)
        var configuration = Session.Configuration()
        configuration.authentication = policy
        let session = Session(configuration: configuration, transport: transport)
        let directory = try TemporaryDirectory()
        let file = directory.file("a")
        try Data(repeating: 1, count: 300).write(to: file)
        let upload = Self.upload(isDraft)
        // An upload that fails has kept its URL, and is then discarded.
        do {
            _ = try await session.upload(file, with: request, resuming: upload)
        } catch let error as SessionError {
            #expect(error.status == .unauthorized)
            let failure = await #expect(throws: SessionError.self) {
                try await session.discardUpload(of: file, with: request, resuming: upload)
            }
            #expect(failure?.status == .unauthorized)
        }
    }

    @Test(.bug(id: "F321"), arguments: Source.allCases, [true, false])
    func `a request's own credentials do not follow an upload to another origin`(
        _ source: Source,
        _ isDraft: Bool
    ) async throws {
        for location in ["http://other/up/1", "http://h:81/up/1", "https://h/up/1"] {
            let transport = Self.transport(location)
            try await Self.send(source, isDraft, to: transport)
            let strayed = transport.requests.filter { $0.origin != Self.home }
            #expect(strayed.contains { $0.method != .delete } && strayed.contains { $0.method == .delete })
            #expect(strayed.allSatisfy { $0.headers[.authorization] == nil }, "\(location)")
        }
    }

    @Test(arguments: Source.allCases, [true, false])
    func `a request's own credentials go along with an upload within its origin`(
        _ source: Source,
        _ isDraft: Bool
    ) async throws {
        let transport = Self.transport("/up/1")
        try await Self.send(source, isDraft, to: transport)
        let last = try #require(transport.requests.last)
        #expect(last.method == .patch && last.target == "/up/1" && last.headers[.authorization] != nil)
    }
}
