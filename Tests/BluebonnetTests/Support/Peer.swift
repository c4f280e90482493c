// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import FoundationEssentials
import HTTPTypes
import NIOCore
import Testing

@testable import Bluebonnet

/// What is at the other end: the same cases run against a function in this process and against a server over real sockets.
enum Peer: String, CaseIterable, Sendable {
    case function, server, secureServer

    /// One response, as either can give it.
    struct Answer: Sendable, CustomTestStringConvertible {
        var status = 200
        var headers: HTTPFields = [:]
        var byteCount: Int64 = 0
        var framing = ScriptedResponse.Framing.length
        /// After how many bytes of the body the connection breaks.
        var breaksAfter: Int64?
        /// After how many bytes of the body nothing follows.
        var stallsAfter: Int64?

        var testDescription: String {
            "\(self.status), \(self.byteCount) bytes, \(self.framing)"
                + (self.breaksAfter.map { ", broken after \($0)" } ?? "")
                + (self.stallsAfter.map { ", stalled after \($0)" } ?? "")
        }
    }

    /// Runs a piece of code with a session whose peer gives one answer to everything.
    func answering<Result: Sendable>(
        _ answer: Answer,
        _ change: (inout Session.Configuration) -> Void = { _ in },
        _ body: (Session, URL) async throws -> Result
    ) async throws -> Result {
        var configuration = Session.Configuration()
        change(&configuration)
        switch self {
        case .function:
            let transport = StubTransport { _ in answer.response }
            return try await body(
                Session(configuration: configuration, transport: transport),
                try Self.url("http://h/file")
            )
        case .server, .secureServer:
            let tls: TestServer.TLS? = self == .secureServer ? TestServer.TLS() : nil
            return try await TestServer.withServer(tls: tls) { server in
                server.respond(to: "/file") { _ in answer.scripted }
                let session = Session(configuration: configuration, transport: try server.makeTransport())
                let result = try await body(session, try Self.url("\(server.url)/file"))
                await session.transport.shutdown()
                try await server.waitForConnections { $0.open == 0 }
                return result
            }
        }
    }

    /// Sends a request to a server that breaks off the body of its response, and expects the error.
    ///
    /// - Parameters:
    ///   - status: The status of the response.
    ///   - isStreamed: Whether the body is read as a stream; otherwise it is collected.
    ///   - change: Changes the session's configuration.
    /// - Throws: What the server throws.
    static func breakingOff(
        status: Int = 404,
        isStreamed: Bool,
        _ change: (inout Session.Configuration) -> Void
    ) async throws {
        try await Self.server.answering(Answer(status: status, byteCount: 1_500, breaksAfter: 500), change) {
            session,
            url in
            _ = await #expect(throws: SessionError(.connectionClosed, reason: "")) {
                if isStreamed {
                    for try await _ in try await session.send(Request(url: url)).body {}
                } else {
                    _ = try await session.response(for: Request(url: url))
                }
            }
        }
    }

    static func url(_ text: String) throws -> URL {
        guard let url = URL(string: text) else { throw SessionError(.invalidURL, reason: text) }
        return url
    }
}

extension Peer.Answer {
    fileprivate var scripted: ScriptedResponse {
        var response = ScriptedResponse(
            status: .init(code: self.status),
            headers: self.headers,
            body: .pattern(self.byteCount),
            effect: self.breaksAfter.map { .close(.afterBody($0)) } ?? self.stallsAfter.map { .stall(.afterBody($0)) }
        )
        response.framing = self.framing
        return response
    }

    fileprivate var response: TransportResponse {
        let bytes = PatternBytes.bytes(Int(self.byteCount))
        var steps: [ScriptedBody.Step] = []
        let end = Int(self.breaksAfter ?? self.stallsAfter ?? self.byteCount)
        for start in stride(from: 0, to: end, by: 10_000) {
            steps.append(.buffer(ByteBuffer(bytes: bytes[start..<min(start + 10_000, end)])))
        }
        if self.breaksAfter != nil {
            steps.append(
                .fail(TransportError(.connectionClosed, phase: .responseBody, reason: "cut", isRequestSent: true))
            )
        }
        if self.stallsAfter != nil { steps.append(.hang) }
        let isKnown = self.framing == .length
        return TransportResponse(
            status: .init(code: self.status),
            headers: self.headers,
            body: ResponseBody(source: ScriptedBody(steps), expectedLength: isKnown ? self.byteCount : nil)
        )
    }
}

extension TestServer {
    /// An engine of its own, which trusts this server.
    func makeTransport() throws -> NIOTransport {
        var configuration = NIOTransport.Configuration()
        configuration.proxy = .direct
        configuration.tls.additionalRoots = [.pem(self.certificateAuthority.pem)]
        return NIOTransport(configuration: configuration)
    }
}
