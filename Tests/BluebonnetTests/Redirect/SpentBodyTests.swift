// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import NIOCore
import Testing

@testable import Bluebonnet

/// Bodies that can be read once, and policies that replace them.
@Suite(.timeLimit(.minutes(1))) struct SpentBodyTests {
    enum Body: String, Sendable, CaseIterable {
        case data, replayable, once, form, onceForm

        func make(_ text: String) throws -> RequestBody {
            let bytes = Data(text.utf8)
            switch self {
            case .data: return .data(bytes)
            case .replayable: return .stream(length: nil) { try RequestBody.data(bytes).makeReader() }
            case .once: return .reader(try RequestBody.data(bytes).makeReader(), length: Int64(bytes.count))
            case .form, .onceForm:
                var form = MultipartFormData()
                if self == .form {
                    form.append(bytes, name: "a")
                } else {
                    let reader = try RequestBody.data(bytes).makeReader()
                    try form.append(reader: reader, length: Int64(bytes.count), name: "a")
                }
                return .multipart(form)
            }
        }
    }

    /// Redirects `/start`, and keeps the bodies that it gets.
    private static func transport(_ status: Int, _ bodies: Recorder<String>) -> StubTransport {
        StubTransport { request in
            bodies.record(try request.text())
            guard request.target == "/start" else { return .plain("end") }
            return TransportResponse(status: .init(code: status), headers: [.location: "/end"])
        }
    }

    private func send(
        _ body: RequestBody,
        _ status: Int,
        _ policy: RedirectPolicy
    ) async throws -> (Response, [String]) {
        let bodies = Recorder<String>()
        var configuration = Session.Configuration()
        configuration.redirects = policy
        let session = Session(configuration: configuration, transport: Self.transport(status, bodies))
        var request = Request(url: try Peer.url("http://h/start"))
        request.method = .post
        request.body = body
        return (try await session.response(for: request), bodies.elements)
    }

    @Test(arguments: [307, 308], Body.allCases)
    func `a policy may replace a body that can be read once`(_ status: Int, _ kind: Body) async throws {
        for first in [Body.once, .onceForm] {
            let policy = RedirectPolicy { redirect in
                var request = redirect.proposedRequest
                request.body = try kind.make("new")
                return request
            }
            let (response, bodies) = try await self.send(try first.make("old"), status, policy)
            #expect(response.status == .ok)
            try #require(bodies.count == 2)
            #expect(bodies[0].contains("old") && bodies[1].contains("new"), "\(first)")
        }
    }

    @Test(arguments: [Body.once, .onceForm])
    func `a policy that keeps a body that can be read once is refused`(_ kind: Body) async throws {
        for policy in [
            RedirectPolicy { $0.proposedRequest },
            RedirectPolicy { redirect in
                var request = redirect.request
                request.url = redirect.proposedRequest.url
                return request
            },
        ] {
            for status in [307, 308] {
                let error = await #expect(throws: SessionError.self) {
                    _ = try await self.send(try kind.make("old"), status, policy)
                }
                #expect(error?.code == .redirectRefused && error?.status?.code == status)
            }
        }
    }

    @Test func `a redirect that drops the body gets none that was read`() async throws {
        let policy = RedirectPolicy { redirect in
            var request = redirect.proposedRequest
            request.body = redirect.request.body
            return request
        }
        let error = await #expect(throws: SessionError.self) {
            _ = try await self.send(try Body.once.make("old"), 303, policy)
        }
        #expect(error?.code == .redirectRefused)
        let (response, bodies) = try await self.send(try Body.once.make("old"), 303, .follow())
        #expect(response.status == .ok && bodies == ["old", ""])
    }

    @Test func `the error of a new body is thrown`() async throws {
        struct Broken: Error {}
        let policy = RedirectPolicy { redirect in
            var request = redirect.proposedRequest
            request.body = .stream(length: 1, isReplayable: false) { throw Broken() }
            return request
        }
        let error = await #expect(throws: SessionError.self) {
            _ = try await self.send(try Body.once.make("old"), 307, policy)
        }
        #expect(error?.code == .bodyFailed)
    }
}

extension TransportRequest {
    /// The body that is sent.
    fileprivate func text() throws -> String {
        if case .bytes(let bytes) = self.body { return String(buffer: bytes) }
        guard var reader = try self.body.makeReader() else { return "" }
        var bytes: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024, alignment: 1)
        defer { buffer.deallocate() }
        while true {
            let count = try reader.read(into: buffer)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer[..<count]
        }
    }
}
