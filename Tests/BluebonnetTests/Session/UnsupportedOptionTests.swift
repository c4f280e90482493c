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
}
