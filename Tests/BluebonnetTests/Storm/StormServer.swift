// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import Synchronization

@testable import Bluebonnet

/// What the servers of a storm answer.
enum StormServer {
    static let file = RangeOrigin(byteCount: 120_000, fields: [.acceptRanges: "bytes"])

    static func configuration(http2: Bool) -> TestServer.Configuration {
        var configuration = TestServer.Configuration()
        if http2 { configuration.http2 = .init() }
        // What the server remembers is not what is looked for.
        configuration.untakenRequestLimit = 10
        configuration.recordedBodyLimit = 1 << 20
        return configuration
    }

    static func script(_ server: TestServer, _ uploads: UploadOrigin, uploadCount: Int) {
        let count = Atomic(0)
        server.respond(to: "/hang") { _ in ScriptedResponse(effect: .stall(.beforeResponse)) }
        server.respond(to: "/stall") { _ in
            ScriptedResponse(body: .pattern(50_000), effect: .stall(.afterBody(9_000)))
        }
        server.respond(to: "/slow") { _ in
            ScriptedResponse(body: .pattern(4_000), effect: .throttle(byteCount: 500, every: .milliseconds(2)))
        }
        server.respond(to: "/lines") { _ in
            ScriptedResponse(body: .text(String(repeating: "a line of text\n", count: 2_000)))
        }
        server.respond(to: "/count") { .json(String($0.bodyByteCount)) }
        server.respond(to: "/file") { self.file.response(to: $0) }
        server.respond(to: "/shared") { _ in self.delayed(.pattern(3_000), .milliseconds(5)) }
        server.respond(to: "/cached") { request in
            var response = self.delayed(.pattern(2_000), .milliseconds(1))
            response.headers[.cacheControl] = "max-age=0, stale-while-revalidate=5"
            response.headers[.eTag] = #""1""#
            guard request.headers[.ifNoneMatch] == #""1""# else { return response }
            return ScriptedResponse(status: .notModified, headers: response.headers)
        }
        server.respond(to: "/flaky") { _ in
            let isFailure = count.add(1, ordering: .relaxed).newValue % 2 == 0
            return isFailure ? ScriptedResponse(status: .serviceUnavailable) : ScriptedResponse(body: .pattern(500))
        }
        server.respond(to: "/token") { _ in .json(String(count.add(1, ordering: .relaxed).newValue)) }
        server.respond(to: "/guarded") { request in
            // Every fourth token is refused.
            let token = request.headers[.authorization].flatMap { Int($0.dropFirst("Bearer ".count)) } ?? 0
            return token % 4 == 0 ? ScriptedResponse(status: .unauthorized) : ScriptedResponse(body: .pattern(100))
        }
        uploads.serve(on: server, uploadCount: uploadCount)
    }

    private static func delayed(_ body: ScriptedResponse.Body, _ delay: Duration) -> ScriptedResponse {
        var response = ScriptedResponse(body: body)
        response.delay = delay
        return response
    }
}

/// Gets tokens of the server, with a request that can be cancelled like any other.
struct StormAuthenticator: Authenticator {
    let url: URL

    func refresh(_ token: AccessToken?, _ context: RefreshContext) async throws -> AccessToken {
        let response = try await context.response(for: Request(url: self.url))
        return AccessToken(String(decoding: response.body, as: UTF8.self))
    }
}

/// A stage of the program, which gives other tasks a turn before and after the rest of the chain.
struct StormInterceptor: Interceptor {
    func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
        await Task.yield()
        let response = try await next(request)
        await Task.yield()
        return response
    }
}
