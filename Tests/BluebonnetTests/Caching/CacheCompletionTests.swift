// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import NIOCore
import Synchronization
import Testing

@testable import Bluebonnet

/// Bodies of which only the beginning was read, and the requests for the rest (RFC 9111 sections 3.3 and 3.4).
@Suite(.timeLimit(.minutes(1))) struct CacheCompletionTests {
    private static let bytes = PatternBytes.bytes(1_000)
    private static let headers: HTTPFields = [
        .cacheControl: "max-age=60", .eTag: "\"a\"", .contentLength: "1000", .contentType: "text/plain",
    ]

    private let store = MemoryCacheStore(maximumByteCount: 1 << 20)

    /// A file in pieces of 100 bytes, and its end on request; the answer to a request for a range can be changed.
    private static func origin(
        _ headers: HTTPFields = Self.headers,
        cutAfter: Int? = nil,
        _ change: @escaping @Sendable (inout TransportResponse) -> Void = { _ in }
    ) -> StubTransport {
        StubTransport { request in
            let start = request.headers[.range].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
            let end = start == 0 ? cutAfter ?? 1_000 : 1_000
            var steps = stride(from: start, to: end, by: 100).map {
                ScriptedBody.Step.buffer(ByteBuffer(bytes: Self.bytes[$0..<min($0 + 100, end)]))
            }
            if end < 1_000 {
                steps.append(
                    .fail(TransportError(.connectionClosed, phase: .responseBody, reason: "cut", isRequestSent: true))
                )
            }
            var response = TransportResponse(
                status: start == 0 ? .ok : .partialContent,
                headers: headers,
                body: ResponseBody(source: ScriptedBody(steps), expectedLength: Int64(1_000 - start))
            )
            if start > 0 {
                response.headers[.contentRange] = "bytes \(start)-999/1000"
                response.headers[.contentLength] = "\(1_000 - start)"
                change(&response)
            }
            return response
        }
    }

    private func session(_ transport: any Transport) -> Session {
        var configuration = Session.Configuration()
        configuration.cache = ResponseCache(store: self.store)
        configuration.cache?.wallClock = .stopped()
        configuration.cache?.maximumBodyByteCount = 1 << 19
        return Session(configuration: configuration, transport: transport)
    }

    private func request() throws -> Request { Request(url: try Peer.url("http://h/file")) }

    /// Reads two pieces, and gives the rest up.
    private func readBeginning(_ session: Session, _ request: Request? = nil) async throws {
        let response = try await session.send(request ?? self.request())
        var iterator = response.body.makeAsyncIterator()
        _ = try await iterator.next()
        _ = try await iterator.next()
        response.body.abandon()
    }

    // MARK: Completing

    @Test func `a body that was given up is completed by a range`() async throws {
        let transport = Self.origin()
        let session = self.session(transport)
        try await self.readBeginning(session)
        #expect(self.store.count == 1)
        let whole = try await session.response(for: self.request())
        let second = try #require(transport.requests.last?.headers)
        #expect(second[.range] == "bytes=200-" && second[.ifRange] == "\"a\"" && second[.ifNoneMatch] == nil)
        #expect(whole.status == .ok && whole.body == Data(Self.bytes))
        #expect(whole.headers[.contentRange] == nil && whole.headers[.contentLength] == "1000")
        #expect(whole.cacheStatus?.description == "Bluebonnet; fwd=partial; fwd-status=206; ttl=60; stored")
        let again = try await session.response(for: self.request())
        #expect(again.body == Data(Self.bytes) && again.cacheStatus?.isHit == true)
        #expect(transport.requests.count == 2 && self.store.count == 1)
    }

    @Test func `a body that was cut is completed, and new fields take the place of stored ones`() async throws {
        let transport = Self.origin(cutAfter: 700) { $0.headers[.contentType] = "text/html" }
        let session = self.session(transport)
        let response = try await session.send(self.request())
        await #expect(throws: SessionError.self) { _ = try await response.body.collect(upTo: 10_000) }
        let whole = try await session.response(for: self.request())
        #expect(transport.requests.last?.headers[.range] == "bytes=700-")
        #expect(whole.body == Data(Self.bytes) && whole.headers[.contentType] == "text/html")
    }

    /// A server that gives fewer bytes, or more, than its Content-Range announces (RFC 9111 section 3.4).
    @Test(arguments: [799, 801, 0]) func `a rest of another length is an error, and no whole response`(
        _ byteCount: Int
    ) async throws {
        let transport = Self.origin { response in
            let rest = ScriptedBody([.buffer(ByteBuffer(bytes: PatternBytes.bytes(byteCount)))])
            response.headers[.contentLength] = nil
            response.body = ResponseBody(source: rest, expectedLength: nil)
        }
        let session = self.session(transport)
        try await self.readBeginning(session)
        let error = await #expect(throws: SessionError.self) { try await session.response(for: self.request()) }
        #expect(error?.code == .protocolViolation)
        let streamed = try await session.send(self.request())
        await #expect(throws: SessionError.self) { _ = try await streamed.body.collect(upTo: 10_000) }
    }

    @Test func `a cookie of the response that completes a part is told`() async throws {
        let session = self.session(Self.origin { $0.headers[.setCookie] = "sid=2" })
        try await self.readBeginning(session)
        #expect(try await session.response(for: self.request()).headers[.setCookie] == "sid=2")
        #expect(try await session.response(for: self.request()).headers[.setCookie] == nil)
    }

    @Test(.bug(id: "F388"), arguments: [206, 416])
    func `a cookie of the response that does not complete a part is told before those of the whole`(
        _ status: Int
    ) async throws {
        let origin = Self.origin { response in
            response.status = .init(code: status)
            response.headers[.eTag] = "\"b\""
            response.headers[.setCookie] = "lb=1"
        }
        let transport = StubTransport { request in
            var response = try await origin.exchange(request)
            response.headers.append(HTTPField(name: .setCookie, value: "lb=2"))
            return response
        }
        let session = self.session(transport)
        try await self.readBeginning(session)
        let whole = try await session.response(for: self.request())
        #expect(whole.status == .ok && whole.headers[values: .setCookie] == ["lb=1", "lb=2", "lb=2"])
        #expect(transport.requests.count == 3)
        #expect(try await session.response(for: self.request()).headers[.setCookie] == nil)
    }

    @Test func `a completion that is given up leaves a longer part`() async throws {
        let transport = Self.origin()
        let session = self.session(transport)
        try await self.readBeginning(session)
        // The stored part is one piece by now; one more comes from the server.
        try await self.readBeginning(session)
        #expect(try await session.response(for: self.request()).body == Data(Self.bytes))
        #expect(transport.requests.map { $0.headers[.range] } == [nil, "bytes=200-", "bytes=300-"])
    }

    @Test func `another version comes as a whole and takes the place of the part`() async throws {
        let transport = StubTransport { request in
            var headers = Self.headers
            if request.headers[.ifRange] != nil { headers[.eTag] = "\"b\"" }
            let half = ResponseBody(
                source: ScriptedBody([.bytes(500), .bytes(500)]),
                expectedLength: 1_000
            )
            return TransportResponse(status: .ok, headers: headers, body: half)
        }
        let session = self.session(transport)
        let response = try await session.send(self.request())
        var iterator = response.body.makeAsyncIterator()
        _ = try await iterator.next()
        response.body.abandon()
        let whole = try await session.response(for: self.request())
        #expect(whole.headers[.eTag] == "\"b\"" && whole.body.count == 1_000)
        #expect(whole.cacheStatus?.description == "Bluebonnet; fwd=partial; fwd-status=200; ttl=60; stored")
        #expect(try await session.response(for: self.request()).cacheStatus?.isHit == true)
        #expect(transport.requests.count == 2)
    }

    static let misfits: [(name: String, change: @Sendable (inout TransportResponse) -> Void)] = [
        ("another tag", { $0.headers[.eTag] = "\"b\"" }),
        ("a weak tag", { $0.headers[.eTag] = "W/\"a\"" }),
        ("no tag", { $0.headers[.eTag] = nil }),
        ("another beginning", { $0.headers[.contentRange] = "bytes 201-999/1000" }),
        ("another end", { $0.headers[.contentRange] = "bytes 200-998/1000" }),
        ("another length", { $0.headers[.contentRange] = "bytes 200-999/1001" }),
        ("an unknown length", { $0.headers[.contentRange] = "bytes 200-999/*" }),
        ("no range", { $0.headers[.contentRange] = nil }),
        (
            "several ranges",
            {
                $0.headers[.contentRange] = nil
                $0.headers[.contentType] = "multipart/byteranges"
            }
        ),
        ("several ranges beside a fitting one", { $0.headers[.contentType] = "multipart/byteranges; boundary=x" }),
        ("a coding", { $0.headers[.contentEncoding] = "gzip" }),
        (
            "416",
            {
                $0.status = .rangeNotSatisfiable
                $0.headers[.contentRange] = "bytes */100"
            }
        ),
    ]

    @Test(.bug(id: "F496"), arguments: Self.misfits.map(\.name))
    func `a rest that does not fit is not put behind the part`(_ name: String) async throws {
        let misfit = try #require(Self.misfits.first { $0.name == name })
        let transport = Self.origin(Self.headers, misfit.change)
        let session = self.session(transport)
        try await self.readBeginning(session)
        let whole = try await session.response(for: self.request())
        #expect(whole.status == .ok && whole.body == Data(Self.bytes))
        #expect(transport.requests.map { $0.headers[.range] } == [nil, "bytes=200-", nil])
        #expect(try await session.response(for: self.request()).cacheStatus?.isHit == true)
    }

    @Test func `an error status is delivered, and the part stays`() async throws {
        let transport = Self.origin { $0 = .plain("busy", status: 503) }
        let session = self.session(transport)
        try await self.readBeginning(session)
        #expect(try await session.response(for: self.request()).status == .serviceUnavailable)
        #expect(self.store.count == 1)
    }

    // MARK: Keeping

    @Test(arguments: [
        ["ETag": "W/\"a\""], ["ETag": ""], ["Content-Length": ""], ["Accept-Ranges": "none"],
        ["Content-Encoding": "br"], ["Cache-Control": "no-store"],
    ])
    func `a part that could not be completed is not kept`(_ fields: [String: String]) async throws {
        var headers = Self.headers
        for (name, value) in fields { headers[try #require(HTTPField.Name(name))] = value.isEmpty ? nil : value }
        try await self.readBeginning(self.session(Self.origin(headers)))
        #expect(self.store.count == 0 && self.store.byteCount == 0)
    }

    @Test func `a part of the same version does not take the place of a whole`() async throws {
        let transport = Self.origin()
        let session = self.session(transport)
        _ = try await session.response(for: self.request())
        var reload = try self.request()
        reload.options.cachePolicy = .reloadIgnoringLocalCacheData
        try await self.readBeginning(session, reload)
        #expect(try await session.response(for: self.request()).cacheStatus?.isHit == true)
    }

    // MARK: Answering

    @Test func `a part answers nobody before it is complete`() async throws {
        let transport = Self.origin()
        let session = self.session(transport)
        try await self.readBeginning(session)
        var request = try self.request()
        request.headers[.cacheControl] = "only-if-cached"
        #expect(try await session.response(for: request).status == .gatewayTimeout)
        request = try self.request()
        request.options.cachePolicy = .returnCacheDataDontLoad
        await #expect(throws: SessionError.self) { try await session.response(for: request) }
        #expect(transport.requests.count == 1)
        request = try self.request()
        request.method = .head
        #expect(try await session.response(for: request).cacheStatus?.forward == .partial)
        // Within the part, too: what is stored is not known to be the beginning of what the server has now.
        request = try self.request()
        request.headers[.range] = "bytes=100-"
        #expect(try await session.response(for: request).cacheStatus?.forward == .partial)
        #expect(transport.requests.last?.headers[.range] == "bytes=100-")
        #expect(transport.requests.last?.headers[.ifRange] == nil)
        request.headers[.range] = nil
        request.headers[.ifNoneMatch] = "\"a\""
        _ = try await session.response(for: request)
        #expect(transport.requests.last?.headers[.range] == nil)
    }

    @Test func `over real sockets a body that was cut is completed`() async throws {
        try await TestServer.withServer { server in
            let cuts = Mutex(0)
            server.respond(to: "/file") { request in
                let isFirst = cuts.withLock { count in
                    count += 1
                    return count == 1
                }
                var headers = Self.headers
                headers[.contentLength] = nil
                guard let range = request.headers[.range] else {
                    let body = ScriptedResponse.Body.pattern(300_000)
                    return ScriptedResponse(
                        headers: headers,
                        body: body,
                        effect: isFirst ? .close(.afterBody(200_000)) : nil
                    )
                }
                let start = Int(range.dropFirst(6).dropLast()) ?? 0
                headers[.contentRange] = "bytes \(start)-299999/300000"
                let rest = Array(PatternBytes.bytes(300_000)[start...])
                return ScriptedResponse(status: .partialContent, headers: headers, body: .bytes(rest))
            }
            let session = self.session(try server.makeTransport())
            let request = Request(url: try Peer.url("\(server.url)/file"))
            let response = try await session.send(request)
            await #expect(throws: SessionError.self) { _ = try await response.body.collect(upTo: 1 << 20) }
            let whole = try await session.response(for: request)
            #expect(whole.body == Data(PatternBytes.bytes(300_000)))
            #expect(whole.cacheStatus?.forward == .partial && whole.cacheStatus?.forwardStatus == 206)
            await session.transport.shutdown()
        }
    }
}
