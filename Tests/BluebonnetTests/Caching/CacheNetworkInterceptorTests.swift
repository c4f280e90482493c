// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Synchronization
import Testing

@testable import Bluebonnet

/// A network interceptor is below the cache, which sees neither its fields nor why they change.
@Suite(.bug(id: "F491")) struct CacheNetworkInterceptorTests {
    /// What the interceptor makes of a field, and whether a later request that it treats differently may reuse the response.
    struct Case: Sendable, CustomTestStringConvertible {
        var name: HTTPField.Name
        var values: [String?]
        var vary: String?
        var isShared = false
        var reuses: Bool

        var testDescription: String {
            "\(self.name), Vary: \(self.vary ?? "none")\(self.isShared ? ", shared" : ""): \(self.reuses)"
        }
    }

    static let cases = [
        Case(name: .authorization, values: ["Bearer one", "Bearer two"], reuses: false),
        Case(name: .authorization, values: ["Bearer one", nil], reuses: false),
        Case(name: .authorization, values: [nil, nil], reuses: true),
        Case(name: .authorization, values: ["Bearer one", "Bearer two"], isShared: true, reuses: false),
        Case(name: .acceptLanguage, values: ["de", "fr"], vary: "Accept-Language", reuses: false),
        Case(name: .acceptLanguage, values: ["de", "fr"], reuses: true),
        Case(name: .userAgent, values: ["one", nil], vary: "User-Agent", reuses: false),
        Case(name: .acceptEncoding, values: [nil, nil], vary: "Accept-Encoding", reuses: true),
        Case(name: .acceptEncoding, values: ["zstd", nil], vary: "Accept-Encoding", reuses: false),
    ]

    @Test(arguments: Self.cases)
    func `a response that depends on a network interceptor is for nobody else`(_ example: Case) async throws {
        var configuration = Session.Configuration()
        configuration.cache = .memory()
        configuration.cache?.isShared = example.isShared
        let interceptor = ReplacingInterceptor(name: example.name, values: Mutex(example.values))
        configuration.networkInterceptors = [interceptor]
        let transport = StubTransport { request in
            var headers: HTTPFields = [.cacheControl: "max-age=60"]
            headers[.vary] = example.vary
            let seen = request.headers[example.name] ?? "none"
            return TransportResponse(status: .ok, headers: headers, body: ResponseBody(ByteBuffer(string: seen)))
        }
        let session = Session(configuration: configuration, transport: transport)
        let request = Request(url: try Peer.url("http://h/"))
        var bodies: [String] = []
        for _ in example.values {
            bodies.append(String(decoding: try await session.response(for: request).body, as: UTF8.self))
        }
        #expect(transport.requests.count == (example.reuses ? 1 : 2))
        let wanted = example.values.map { $0 ?? "none" }
        #expect(bodies == (example.reuses ? wanted.map { _ in wanted[0] } : wanted))
    }

    @Test func `a response that is confirmed for other credentials is for those only`() async throws {
        var configuration = Session.Configuration()
        configuration.cache = .memory()
        configuration.networkInterceptors = [
            ReplacingInterceptor(name: .authorization, values: Mutex([nil, "Bearer one", "Bearer two"]))
        ]
        let transport = StubTransport { request in
            let isKnown = request.headers[.ifNoneMatch] != nil
            let maximum = isKnown ? "max-age=60" : "max-age=0"
            return TransportResponse(
                status: isKnown ? .notModified : .ok,
                headers: [.cacheControl: maximum, .eTag: "\"a\""],
                body: ResponseBody(ByteBuffer(string: isKnown ? "" : "body"))
            )
        }
        let session = Session(configuration: configuration, transport: transport)
        let request = Request(url: try Peer.url("http://h/"))
        for _ in 0..<3 { #expect(try await session.response(for: request).body.elementsEqual("body".utf8)) }
        #expect(transport.requests.count == 3)
    }

    /// What a network interceptor may do to a request so that its response is not one for the cache.
    enum Change: CaseIterable, Sendable { case path, host, noStore, nothing }

    @Test(arguments: Change.allCases)
    func `a response to another request than the cache has passed on is not stored`(_ change: Change) async throws {
        var configuration = Session.Configuration()
        let store = MemoryCacheStore(maximumByteCount: 1 << 20)
        configuration.cache = ResponseCache(store: store)
        configuration.networkInterceptors = [
            CountingInterceptor { request, user in
                switch change {
                case .path: request.url = try Peer.url("http://h/?tenant=\(user)")
                case .host: request.headers[try #require(HTTPField.Name("Host"))] = "user\(user).example"
                case .noStore: request.headers[.cacheControl] = "no-store"
                case .nothing: break
                }
            }
        ]
        let transport = StubTransport { _ in
            TransportResponse(status: .ok, headers: [.cacheControl: "max-age=60"], body: ResponseBody(ByteBuffer()))
        }
        let session = Session(configuration: configuration, transport: transport)
        for _ in 0..<2 { _ = try await session.response(for: Request(url: try Peer.url("http://h/"))) }
        #expect(transport.requests.count == (change == .nothing ? 1 : 2))
        #expect(store.count == (change == .nothing ? 1 : 0))
    }
}

/// Changes each request by a function that is given its number.
private final class CountingInterceptor: Interceptor {
    private let change: @Sendable (inout Request, Int) throws -> Void
    private let count = Atomic(0)

    init(_ change: @escaping @Sendable (inout Request, Int) throws -> Void) { self.change = change }

    func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
        var request = request
        try self.change(&request, self.count.wrappingAdd(1, ordering: .relaxed).newValue)
        return try await next(request)
    }
}

/// Sets or removes a field, to another value for each request.
private final class ReplacingInterceptor: Interceptor {
    private let name: HTTPField.Name
    private let values: Mutex<[String?]>

    init(name: HTTPField.Name, values: consuming Mutex<[String?]>) {
        self.name = name
        self.values = values
    }

    func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
        var request = request
        request.headers[self.name] = self.values.withLock { $0.removeFirst() }
        return try await next(request)
    }
}
