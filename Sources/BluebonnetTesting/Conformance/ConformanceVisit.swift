// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import HTTPTypes
import NIOCore

/// The context of a check: a transport, and the target of its requests.
struct ConformanceVisit: Sendable {
    let transport: any Transport
    let origin: Origin
    /// The server; nil in memory.
    var server: TestServer?

    /// Returns a request to the site.
    func request(_ target: String, _ method: HTTPRequest.Method = .get, body: TransportBody = .none) -> TransportRequest
    {
        TransportRequest(method: method, origin: self.origin, target: target, body: body)
    }

    /// Returns a request whose response is streamed.
    func streamed(_ target: String) -> TransportRequest {
        var request = self.request(target)
        request.responseMode = .streamed
        return request
    }

    /// Sends a request to a path.
    func get(_ target: String) async throws -> TransportResponse {
        try await self.transport.exchange(self.request(target))
    }

    /// Sends a request and reads its body as text.
    func text(_ request: TransportRequest) async throws -> String {
        String(buffer: try await self.transport.exchange(request).body.collect(upTo: 1 << 20))
    }

    /// Checks that the transport still works.
    func stillWorks(after what: String) async throws {
        let response: TransportResponse
        do {
            response = try await self.get("/status/200")
        } catch {
            throw ConformanceComplaint("after \(what) the next exchange failed: \(error)")
        }
        try expect(response.status.code == 200, "after \(what) the next exchange gave \(response.status.code)")
    }

    /// Checks that a request fails with a `TransportError` with a code.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - isRequestSent: The required value of the error's property; nil for either.
    ///   - situation: The situation, for the failure message.
    ///   - body: The operation that must fail.
    /// - Throws: A complaint if it does not fail, or fails differently.
    func fails(
        with code: TransportError.Code,
        isRequestSent: Bool? = nil,
        _ situation: String,
        _ body: () async throws -> Void
    ) async throws {
        do {
            try await body()
        } catch let error as TransportError {
            try expect(error.code == code, "\(situation) the error was \(error), not \(code)")
            if let isRequestSent {
                try expect(
                    error.isRequestSent == isRequestSent,
                    "\(situation) the error says isRequestSent: \(error.isRequestSent)"
                )
            }
            return
        } catch {
            throw ConformanceComplaint("\(situation) a \(type(of: error)) was thrown, not a TransportError: \(error)")
        }
        throw ConformanceComplaint("\(situation) nothing was thrown")
    }
}

/// The complaint of a check, as a sentence.
struct ConformanceComplaint: Error {
    let sentence: String

    init(_ sentence: String) { self.sentence = sentence }
}

/// Throws a complaint unless a condition holds.
func expect(_ condition: Bool, _ sentence: @autoclosure () -> String) throws(ConformanceComplaint) {
    if !condition { throw ConformanceComplaint(sentence()) }
}
