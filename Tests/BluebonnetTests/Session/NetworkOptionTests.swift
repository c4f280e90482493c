// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import Testing

@testable import Bluebonnet

/// What a request's options say of the network reaches the transport.
@Suite struct NetworkOptionTests {
    /// The code point that each kind of traffic is documented with.
    static let codePoints: [(RequestOptions.NetworkServiceType, UInt8)] = [
        (.default, 0), (.background, 1), (.responsiveData, 18), (.avStreaming, 26), (.responsiveAV, 32), (.video, 34),
        (.callSignaling, 40), (.voice, 46), (.voip, 46),
    ]

    @Test func `every kind of traffic has its code point, and none is marked where nobody asks`() async throws {
        #expect(Set(Self.codePoints.map(\.0)) == Set(RequestOptions.NetworkServiceType.allCases))
        let transport = StubTransport()
        let session = Session(transport: transport)
        var request = Request(url: try Peer.url("http://h/"))
        _ = try await session.response(for: request)
        for (type, _) in Self.codePoints {
            request.options.networkServiceType = type
            _ = try await session.response(for: request)
        }
        #expect(transport.requests.map(\.trafficClass.codePoint) == [0] + Self.codePoints.map(\.1))
    }

    @Test func `the transport knows whether the request may be cellular`() async throws {
        let transport = StubTransport()
        var request = Request(url: try Peer.url("http://h/"))
        for allowed in [nil, true, false] {
            request.options.allowsCellularAccess = allowed
            _ = try await Session(transport: transport).response(for: request)
        }
        #expect(transport.requests.map(\.allowsCellularAccess) == [true, true, false])
    }

    @Test func `options of the serializer hold for every request of a session`() async throws {
        let transport = StubTransport()
        let api = HTTPSession(transport: transport)
        var options = RequestOptions()
        options.networkServiceType = .background
        options.allowsCellularAccess = false
        _ = try await api.get("http://h/", options: options)
        #expect(transport.requests.map(\.trafficClass) == [.lowerEffort])
        #expect(transport.requests.map(\.allowsCellularAccess) == [false])
    }
}
