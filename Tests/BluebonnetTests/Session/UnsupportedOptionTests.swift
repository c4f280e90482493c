// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import FoundationEssentials
import Testing

@testable import Bluebonnet

/// Options that nothing carries out yet are refused, where their value would change something.
@Suite struct UnsupportedOptionTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var isRefused: Bool
        var change: @Sendable (inout RequestOptions) -> Void

        init(_ name: String, refused: Bool, _ change: @escaping @Sendable (inout RequestOptions) -> Void) {
            self.testDescription = name
            self.isRefused = refused
            self.change = change
        }
    }

    static let cases =
        RequestOptions.CachePolicy.allCases.map { policy in
            let isRefused = policy == .returnCacheDataElseLoad || policy == .returnCacheDataDontLoad
            return Case("cachePolicy \(policy)", refused: isRefused) { $0.cachePolicy = policy }
        }
        + RequestOptions.NetworkServiceType.allCases.map { type in
            Case("networkServiceType \(type)", refused: false) { $0.networkServiceType = type }
        }
        + [
            Case("nothing", refused: false) { _ in },
            Case("handlesCookies true", refused: true) { $0.handlesCookies = true },
            Case("handlesCookies false", refused: false) { $0.handlesCookies = false },
            Case("allowsCellularAccess true", refused: false) { $0.allowsCellularAccess = true },
            Case("allowsCellularAccess false", refused: false) { $0.allowsCellularAccess = false },
        ]

    @Test(arguments: Self.cases) func `an option that would change nothing else is honoured or refused`(
        _ one: Case
    ) async throws {
        let transport = StubTransport()
        var request = Request(url: try Peer.url("http://h/"))
        one.change(&request.options)
        do {
            _ = try await Session(transport: transport).response(for: request)
            #expect(!one.isRefused)
        } catch let error as SessionError {
            #expect(error.code == .unsupportedOption)
            #expect(one.isRefused)
        }
        #expect(transport.requests.isEmpty == one.isRefused)
    }

    private struct Changing: Interceptor {
        var change: @Sendable (inout RequestOptions) -> Void

        func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
            var request = request
            self.change(&request.options)
            return try await next(request)
        }
    }

    @Test(.bug(id: "F514"), arguments: Self.cases, [false, true])
    func `an option that an interceptor sets is honoured or refused, too`(_ one: Case, _ isNetwork: Bool) async throws {
        let (transport, events) = (StubTransport(), RetryEvents())
        var configuration = Session.Configuration()
        configuration.observers = [events]
        let changing = Changing(change: one.change)
        if isNetwork { configuration.networkInterceptors = [changing] } else { configuration.interceptors = [changing] }
        let session = Session(configuration: configuration, transport: transport)
        let request = Request(url: try Peer.url("http://h/"))
        do {
            _ = try await session.response(for: request)
            #expect(!one.isRefused)
        } catch let error as SessionError {
            #expect(error.code == .unsupportedOption)
            #expect(error.request?.url.absoluteString == "http://h/" && !error.isRequestSent)
            #expect(events.names == ["callFailed unsupportedOption"])
            #expect(one.isRefused)
        }
        #expect(transport.requests.isEmpty == one.isRefused)
    }

    @Test(.bug(id: "F514")) func `below the cache no request can ask for a stored response alone`() async throws {
        let transport = StubTransport()
        var configuration = Session.Configuration()
        configuration.cache = .memory()
        configuration.networkInterceptors = [Changing { $0.cachePolicy = .returnCacheDataDontLoad }]
        let session = Session(configuration: configuration, transport: transport)
        let request = Request(url: try Peer.url("http://h/"))
        let error = await #expect(throws: SessionError.self) { try await session.response(for: request) }
        #expect(error?.code == .unsupportedOption)
        #expect(transport.requests.isEmpty)
    }
}
