// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import FoundationEssentials
import HTTPTypes
import InMemoryTracing
import NIOCore
import Testing
import Tracing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct TracingInterceptorTests {
    private let tracer = InMemoryTracer()

    private func session(
        interceptors: [any Interceptor] = [],
        _ answer: @escaping StubTransport.Answer = { _ in .plain("body") }
    ) -> (Session, StubTransport) {
        var configuration = Session.Configuration()
        configuration.interceptors = interceptors
        configuration.networkInterceptors = [.tracing(self.tracer)]
        let transport = StubTransport(answer)
        return (Session(configuration: configuration, transport: transport), transport)
    }

    private static func request(_ method: HTTPRequest.Method = .get) throws -> Request {
        Request(method: method, url: try Peer.url("https://ada:pass@h/users?token=1#part"))
    }

    /// The attributes of the last span that has ended.
    private func attributes() throws -> [String: String] {
        Self.attributes(of: try #require(self.tracer.finishedSpans.last))
    }

    private static func attributes(of span: FinishedInMemorySpan) -> [String: String] {
        var attributes: [String: String] = [:]
        func add(_ name: String, _ value: SpanAttribute) { attributes[name] = Self.text(value) }
        span.attributes.forEach(add)
        return attributes
    }

    private static func text(_ value: SpanAttribute) -> String {
        switch value {
        case .string(let text): text
        case .int64(let number): "\(number)"
        case .int32(let number): "\(number)"
        default: "\(value)"
        }
    }

    private static func streaming(_ steps: [ScriptedBody.Step], status: Int = 200) -> TransportResponse {
        TransportResponse(
            status: .init(code: status),
            body: ResponseBody(source: ScriptedBody(steps), expectedLength: nil)
        )
    }

    // MARK: Attributes

    @Test func `a span has the attributes of OpenTelemetry's conventions, without secrets`() async throws {
        let (session, _) = self.session { _ in
            var response = TransportResponse.plain("body")
            response.metrics.httpVersion = .http2
            return response
        }
        _ = try await session.response(for: Self.request())
        #expect(
            try self.attributes() == [
                "http.request.method": "GET", "url.full": "https://h/users", "server.address": "h",
                "server.port": "443",
                "http.response.status_code": "200", "network.protocol.version": "2",
            ]
        )
        let span = try #require(self.tracer.finishedSpans.first)
        #expect(span.operationName == "GET")
        #expect(span.kind == .client)
        #expect(span.status == nil)
        #expect(self.tracer.activeSpans.isEmpty)
    }

    @Test(arguments: [
        ("GET", "GET", nil), ("PATCH", "PATCH", nil), ("get", "_OTHER", "get"), ("BREW", "_OTHER", "BREW"),
    ])
    func `an unknown method is named only in an attribute of its own`(
        _ method: String,
        _ known: String,
        _ original: String?
    ) async throws {
        let (session, _) = self.session()
        _ = try await session.response(for: Self.request(try #require(HTTPRequest.Method(rawValue: method))))
        #expect(try self.attributes()["http.request.method"] == known)
        #expect(try self.attributes()["http.request.method_original"] == original)
        #expect(self.tracer.finishedSpans.first?.operationName == (original == nil ? method : "HTTP"))
    }

    @Test(arguments: [(200, nil), (304, nil), (404, "404"), (503, "503")])
    func `a status of 400 and above is an error`(_ status: Int, _ errorType: String?) async throws {
        let (session, _) = self.session { _ in .plain("", status: status) }
        _ = try await session.response(for: Self.request())
        #expect(try self.attributes()["error.type"] == errorType)
        #expect(self.tracer.finishedSpans.first?.status?.code == (errorType == nil ? nil : .error))
    }

    @Test(.bug(id: "F447"), arguments: [false, true])
    func `the span of a body that breaks off has its status, collected or streamed`(_ isStreamed: Bool) async throws {
        try await Peer.breakingOff(isStreamed: isStreamed) { $0.networkInterceptors = [.tracing(self.tracer)] }
        let attributes = try self.attributes()
        #expect(attributes["http.response.status_code"] == "404")
        #expect(attributes["network.protocol.version"] == "1.1")
        #expect(attributes["error.type"] == "connectionClosed")
    }

    // MARK: Exchanges

    @Test func `each exchange of a call has a span, and those after the first a count`() async throws {
        struct Thrice: Interceptor {
            func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
                _ = try await next(request)
                _ = try await next(request)
                return try await next(request)
            }
        }
        let (session, _) = self.session(interceptors: [Thrice()])
        _ = try await session.response(for: Self.request())
        let counts = self.tracer.finishedSpans.map { Self.attributes(of: $0)["http.request.resend_count"] }
        #expect(counts == [nil, "1", "2"])
    }

    @Test func `the context is sent, and the span belongs to the one of the caller`() async throws {
        let (session, transport) = self.session()
        let traceID = try await self.tracer.withSpan("outer") { outer in
            _ = try await session.response(for: Self.request())
            return outer.traceID
        }
        let span = try #require(self.tracer.finishedSpans.first)
        #expect(span.parentSpanID != nil && span.traceID == traceID)
        let headers = try #require(transport.requests.first?.headers)
        #expect(headers[try #require(HTTPField.Name(InMemoryTracer.traceIDKey))] == traceID)
        #expect(headers[try #require(HTTPField.Name(InMemoryTracer.spanIDKey))] == span.spanID)
    }

    @Test func `a value that may not stand in a header field is not sent`() async throws {
        let tracer = InMemoryTracer(
            idGenerator: .init(nextTraceID: { "a\r\nX-Injected: 1" }, nextSpanID: { "span" })
        )
        var configuration = Session.Configuration()
        configuration.networkInterceptors = [.tracing(tracer)]
        let transport = StubTransport()
        _ = try await Session(configuration: configuration, transport: transport).response(for: Self.request())
        let headers = try #require(transport.requests.first?.headers)
        #expect(headers[try #require(HTTPField.Name(InMemoryTracer.traceIDKey))] == nil)
        #expect(headers[try #require(HTTPField.Name(InMemoryTracer.spanIDKey))] == "span")
    }

    // MARK: End

    @Test func `a span ends when the end of the body has been read`() async throws {
        let (session, _) = self.session { _ in Self.streaming([.text("bo"), .text("dy")]) }
        let response = try await session.send(Self.request())
        #expect(self.tracer.finishedSpans.isEmpty)
        #expect(self.tracer.activeSpans.count == 1)
        #expect(String(buffer: try await response.body.collect(upTo: 10)) == "body")
        #expect(self.tracer.finishedSpans.count == 1)
        #expect(try self.attributes()["error.type"] == nil)
    }

    @Test func `a span ends when the response is dropped`() async throws {
        let (session, _) = self.session { _ in Self.streaming([.hang]) }
        var response: StreamedResponse? = try await session.send(Self.request())
        #expect(response?.status == .ok)
        #expect(self.tracer.finishedSpans.isEmpty)
        response = nil
        #expect(self.tracer.finishedSpans.count == 1)
    }

    @Test func `a span ends when its response is given up inside the chain`() async throws {
        struct Discarding: Interceptor {
            func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
                let response = try await next(request)
                await response.body.discard(upTo: 0)
                return StreamedResponse(to: request, status: .accepted)
            }
        }
        let (session, _) = self.session(interceptors: [Discarding()]) { _ in Self.streaming([.text("body")]) }
        #expect(try await session.response(for: Self.request()).status == .accepted)
        #expect(self.tracer.finishedSpans.count == 1)
    }

    @Test func `a span ends with the error that breaks its body`() async throws {
        let (session, _) = self.session { _ in
            Self.streaming([
                .text("bo"),
                .fail(TransportError(.connectionClosed, phase: .responseBody, reason: "cut", isRequestSent: true)),
            ])
        }
        await #expect(throws: SessionError.self) { try await session.response(for: Self.request()) }
        #expect(try self.attributes()["error.type"] == "connectionClosed")
        #expect(self.tracer.finishedSpans.first?.errors.count == 1)
        #expect(self.tracer.finishedSpans.first?.status?.code == .error)
    }

    @Test func `a span ends with the error of its exchange`() async throws {
        let (session, _) = self.session { _ in
            throw TransportError(.connectFailed, phase: .connect, reason: "refused")
        }
        await #expect(throws: SessionError.self) { try await session.response(for: Self.request()) }
        #expect(try self.attributes()["error.type"] == "connectFailed")
        #expect(try self.attributes()["http.response.status_code"] == nil)
    }

    @Test func `a span ends when its call is cancelled`() async throws {
        let (session, transport) = self.session { _ in try await untilCancelled() }
        let request = try Self.request()
        let call = Task { try await session.response(for: request) }
        while transport.requests.isEmpty { await Task.yield() }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(try self.attributes()["error.type"] == "cancelled")
    }

    @Test func `a session without a tracer sends what it would send without tracing`() async throws {
        var configuration = Session.Configuration()
        configuration.networkInterceptors = [.tracing]
        let transport = StubTransport { _ in .plain("body") }
        let response = try await Session(configuration: configuration, transport: transport)
            .response(for: Self.request())
        #expect(response.body == Data("body".utf8))
        let names = transport.requests.first?.headers.map(\.name.canonicalName).sorted()
        #expect(names == ["accept", "accept-encoding", "authorization"])
    }
}
