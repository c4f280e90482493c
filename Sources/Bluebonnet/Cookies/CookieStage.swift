// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import HTTPTypes

/// Sends the cookies of a jar, and stores those of the responses.
///
/// It runs below the stages that repeat requests, so each hop and each attempt has the cookies for its own URL and
/// time.
struct CookieStage: Interceptor {
    let jar: CookieJar

    func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
        guard request.options.handlesCookies != false else { return try await next(request) }
        let target = try next.target(of: request)
        let cookieRequest = CookieRequest(request, target, self.jar.options)
        var request = request
        // At most one Cookie field is sent; the program's own takes precedence.
        if !request.headers.contains(.cookie), let field = await self.field(for: cookieRequest) {
            request.headers.append(HTTPField(name: .cookie, lenientValue: field))
        }
        let response = try await next(request)
        guard response.headers.contains(.setCookie) else { return response }
        let answered = try self.answered(response, request, cookieRequest)
        if self.jar.isBlocking {
            await self.receiveElsewhere(response.headers, from: answered)
        } else {
            self.jar.receive(response.headers[fields: .setCookie], from: answered)
        }
        return response
    }

    private func field(for request: CookieRequest) async -> [UInt8]? {
        self.jar.isBlocking ? await self.fieldElsewhere(for: request) : self.jar.field(for: request)
    }

    /// Looks up cookies off the caller's actor, which must not wait for a disk.
    @concurrent
    private func fieldElsewhere(for request: CookieRequest) async -> [UInt8]? {
        self.jar.field(for: request)
    }

    /// Stores cookies off the caller's actor.
    @concurrent
    private func receiveElsewhere(_ headers: HTTPFields, from request: CookieRequest) async {
        self.jar.receive(headers[fields: .setCookie], from: request)
    }

    /// The request that a response answers, whose URL an interceptor below may have changed.
    private func answered(
        _ response: StreamedResponse,
        _ request: Request,
        _ cookieRequest: CookieRequest
    ) throws -> CookieRequest {
        guard response.request.url != request.url else { return cookieRequest }
        return CookieRequest(response.request, try RequestTarget(response.request.url), self.jar.options)
    }
}
