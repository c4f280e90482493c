// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTesting
import FoundationEssentials
import HTTPTypes
import NIOCore
import Testing

@Suite(.timeLimit(.minutes(1))) struct InterceptorTests {
    /// Writes its name into the request on the way out and into the response on the way back.
    private struct Marking: Interceptor {
        var name: String

        func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
            var request = request
            request.headers[.via] = [request.headers[.via], self.name].compactMap { $0 }.joined(separator: ",")
            var response = try await next(request)
            response.headers[.via] = [response.headers[.via], self.name].compactMap { $0 }.joined(separator: ",")
            return response
        }
    }

    private struct Custom: Interceptor {
        var body: @Sendable (Request, Chain) async throws -> StreamedResponse

        func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
            try await self.body(request, next)
        }
    }

    private struct Failure: Error {}

    private let request: Request

    init() throws {
        self.request = Request(url: try Peer.url("http://h/path?secret=1"))
    }

    private func session(_ interceptors: [any Interceptor], _ transport: StubTransport = StubTransport()) -> Session {
        var configuration = Session.Configuration()
        configuration.interceptors = interceptors
        return Session(configuration: configuration, transport: transport)
    }

    @Test func `runs from the outside in, and back`() async throws {
        let transport = StubTransport()
        var configuration = Session.Configuration()
        configuration.interceptors = [Marking(name: "a"), Marking(name: "b")]
        configuration.networkInterceptors = [Marking(name: "c")]
        let session = Session(configuration: configuration, transport: transport)
        let collected = try await session.response(for: self.request)
        let streamed = try await session.send(self.request)
        #expect(collected.headers[.via] == "c,b,a")
        #expect(streamed.headers[.via] == "c,b,a")
        #expect(transport.requests.map { $0.headers[.via] } == ["a,b,c", "a,b,c"])
    }

    @Test func `may answer without the transport`() async throws {
        let transport = StubTransport()
        let session = self.session(
            [
                Custom { request, _ in
                    StreamedResponse(to: request, status: .accepted, body: ResponseBody(ByteBuffer(string: "mine")))
                }
            ],
            transport
        )
        let response = try await session.response(for: self.request)
        #expect(response.status == .accepted)
        #expect(response.body == Data("mine".utf8))
        #expect(transport.requests.isEmpty)
    }

    @Test func `may answer with a stream where the whole response is wanted`() async throws {
        let session = self.session([
            Custom { request, _ in
                StreamedResponse(
                    to: request,
                    status: .ok,
                    body: ResponseBody(source: ScriptedBody([.text("a"), .text("b")]), expectedLength: nil)
                )
            }
        ])
        #expect(try await session.response(for: self.request).body == Data("ab".utf8))
    }

    @Test func `may try again`() async throws {
        let transport = StubTransport { request in
            guard request.headers[.retryAfter] != nil else {
                throw TransportError(.connectionClosed, phase: .responseHead, reason: "gone", isRequestSent: true)
            }
            return TransportResponse(status: .ok)
        }
        let session = self.session(
            [
                Custom { request, next in
                    do {
                        return try await next(request)
                    } catch let error as SessionError where error.code == .connectionClosed {
                        var request = request
                        request.headers[.retryAfter] = "1"
                        return try await next(request)
                    }
                }
            ],
            transport
        )
        #expect(try await session.response(for: self.request).status == .ok)
        #expect(transport.requests.count == 2)
    }

    @Test(.bug(id: "F525"), arguments: [true, false])
    func `decides whether content is decoded`(_ decodes: Bool) async throws {
        let transport = StubTransport()
        let deciding = Custom { request, next in
            var request = request
            request.options.decodesContent = decodes
            return try await next(request)
        }
        var request = self.request
        request.options.decodesContent = !decodes
        _ = try await self.session([deciding], transport).response(for: request)
        let sent = try #require(transport.requests.first)
        #expect(sent.decodesContent == decodes)
        #expect((sent.headers[.acceptEncoding] != nil) == decodes)
    }

    @Test func `has its own errors wrapped`() async throws {
        let session = self.session([Custom { _, _ in throw Failure() }])
        let error = await #expect(throws: SessionError.self) { try await session.send(self.request) }
        #expect(error?.code == .interceptorFailed)
        #expect(error?.underlying is Failure)
        #expect(error?.description.contains("secret") == false)
    }

    @Test func `lets a cancellation through`() async throws {
        let session = self.session([Custom { _, _ in throw CancellationError() }])
        await #expect(throws: CancellationError.self) { try await session.response(for: self.request) }
    }

    @Test func `can be tested by itself`() async throws {
        let next = Chain(Call(self.request)) { request in
            StreamedResponse(to: request, status: .ok, headers: [.via: "end"])
        }
        let response = try await Marking(name: "a").intercept(self.request, next: next)
        #expect(response.headers[.via] == "end,a")
    }
}
