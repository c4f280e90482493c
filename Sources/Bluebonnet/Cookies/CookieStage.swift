// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import HTTPTypes

/// Sends the cookies of a jar, and stores those of the responses.
///
/// It runs below the stages that repeat requests, so each hop and each attempt has the cookies for its own URL and
/// time. It has nothing to send from an empty jar.
final class CookieStage: IdleStage {
    private let jar: CookieJar

    init(jar: CookieJar) {
        self.jar = jar
    }

    func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
        if self.isIdle(for: request, of: next.call) { return try await self.passIdle(request, next: next) }
        var completed = request
        // At most one Cookie field is sent; the program's own takes precedence, also where a redirect has dropped it.
        if !request.headers.contains(.cookie), !LeftOrigins.withholds(.cookie, from: request),
            let field = try await self.field(for: request, next)
        {
            completed.headers.append(HTTPField(name: .cookie, lenientValue: field))
        }
        return try await self.passIdle(completed, next: next)
    }

    func isIdle(for request: Request, of call: Call) -> Bool {
        request.options.handlesCookies == false || !self.jar.isBlocking && self.jar.isEmpty
    }

    func concerns(_ response: borrowing StreamedResponse, to request: Request) -> Bool {
        request.options.handlesCookies != false && response.headers.contains(.setCookie)
    }

    func act(on response: StreamedResponse, to request: Request, next: Chain) async throws -> StreamedResponse {
        // An interceptor below may have changed the URL.
        let isSame = response.request.url == request.url
        let answered = isSame ? request : response.request
        let target = isSame ? try next.target(of: request) : try RequestTarget(answered.url)
        let cookieRequest = CookieRequest(answered, target, self.jar.options)
        if let queue = self.jar.storeQueue {
            await self.receive(response.headers, from: cookieRequest, on: queue, next.call)
        } else {
            self.jar.receive(response.headers[fields: .setCookie], from: cookieRequest)
        }
        return response
    }

    private func field(for request: Request, _ next: Chain) async throws -> [UInt8]? {
        let cookieRequest = CookieRequest(request, try next.target(of: request), self.jar.options)
        return self.jar.isBlocking ? await self.fieldElsewhere(for: cookieRequest) : self.jar.field(for: cookieRequest)
    }

    /// Looks up cookies off the caller's actor, which must not wait for a disk.
    @concurrent
    private func fieldElsewhere(for request: CookieRequest) async -> [UInt8]? {
        self.jar.field(for: request)
    }

    /// Stores cookies on a queue that may block.
    ///
    /// If another process prevents it, the response is delivered before they are stored.
    private func receive(
        _ headers: HTTPFields,
        from request: CookieRequest,
        on queue: BlockingQueue,
        _ call: Call
    ) async {
        await call.waitBriefly { [jar] in
            await queue.run { jar.receive(headers[fields: .setCookie], from: request) }
        }
    }
}
