// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Bluebonnet

/// Storing the tokens of a source, and restoring them.
@Suite(.timeLimit(.minutes(1))) struct TokenStorageTests {
    typealias Stage = AuthenticationStageTests

    @Test(.bug(id: "F724")) func `the program is told of each new token before a call is sent with it`() async throws {
        let server = TokenServer("fresh1")
        let told = Recorder<String>()
        let tokens = TokenSource(FakeAuthenticator(), token: AccessToken("old")) { token in
            let isSent = server.transport.requests.contains {
                $0.headers[.authorization] == "Bearer \(token.value)"
            }
            told.record(isSent ? "too late" : token.value)
        }
        let session = server.session(tokens)
        #expect(try await session.response(for: Stage.request()).status == .ok)
        server.accept("fresh2")
        #expect(try await session.response(for: Stage.request()).status == .ok)
        tokens.replace(AccessToken("login"))
        server.accept("login")
        #expect(try await session.response(for: Stage.request()).status == .ok)
        #expect(told.elements == ["fresh1", "fresh2"])
    }

    @Test(.bug(id: "F724")) func `a function that does not return delays the calls until the limit of the refresh`()
        async throws
    {
        let (clock, end) = (ManualSessionClock(), Recorder<Bool>())
        let told = Latch()
        let tokens = TokenSource(FakeAuthenticator()) { _ in
            told.open()
            while end.elements.isEmpty { await Task.yield() }
        }
        let session = TokenServer("fresh1").session(tokens, clock.clock)
        let call = Task { try await session.response(for: Stage.request()).status }
        await told.wait()
        await clock.waitForSleeps(1)
        #expect(tokens.waiterCount == 1)
        clock.advance(by: .seconds(30))
        #expect(try await call.value == .ok)
        #expect(tokens.token?.value == "fresh1")
        end.record(true)
    }

    @Test(.bug(id: "F724")) func `a new token that the program replaces meanwhile is dropped`() async throws {
        let tokens = Recorder<TokenSource>()
        let source = TokenSource(FakeAuthenticator()) { _ in tokens.elements[0].replace(AccessToken("login")) }
        tokens.record(source)
        let session = TokenServer("login").session(source)
        #expect(try await session.response(for: Stage.request()).status == .ok)
        #expect(source.token?.value == "login")
    }

    @Test(.bug(id: "F724"), arguments: [nil, Duration.seconds(100), .seconds(1 << 40)])
    func `a token is stored with its expiry, and restored`(_ lifetime: Duration?) throws {
        let token = AccessToken("access", lifetime: lifetime, refreshToken: lifetime.map { _ in "refresh" })
        let restored = try JSONDecoder().decode(AccessToken.self, from: JSONEncoder().encode(token))
        #expect(restored.value == "access")
        #expect(restored.refreshToken == token.refreshToken)
        #expect((restored.expires == nil) == (lifetime == nil))
        if let before = token.expires, let after = restored.expires {
            // The two clocks are read one after the other.
            #expect(before.duration(to: after) < .seconds(30) && after.duration(to: before) < .seconds(30))
        }
    }

    @Test(.bug(id: "F724"), arguments: [-1e300, -100, 0, 50, 1e300])
    func `a stored token has what is left of its lifetime`(_ seconds: Double) throws {
        let date = Date(timeIntervalSinceNow: seconds).timeIntervalSinceReferenceDate
        let json = Data(#"{"value":"access","refreshToken":"refresh","expires":\#(date)}"#.utf8)
        let token = try JSONDecoder().decode(AccessToken.self, from: json)
        let now = SessionClock.system.now
        #expect(token.isExpiring(at: now, margin: .seconds(30)) == (seconds <= 0))
        #expect(token.isExpiring(at: now.advanced(by: .seconds(50)), margin: .zero) == (seconds <= 50))
    }

    @Test(.bug(id: "F724"), arguments: ["{}", #"{"value":1}"#, #"{"value":"a","expires":"soon"}"#])
    func `a document that holds no token is refused`(_ json: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(AccessToken.self, from: Data(json.utf8)) }
    }
}
