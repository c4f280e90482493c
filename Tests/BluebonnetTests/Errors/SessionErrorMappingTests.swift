// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import FoundationEssentials
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct SessionErrorMappingTests {
    /// Refuses each response with an error of the serialization layer.
    private struct Refusing: Interceptor {
        let hasResponse: Bool

        func intercept(_ request: Request, next: Chain) async throws -> StreamedResponse {
            let response = try await next(request)
            throw SerializationError(
                .malformedBody,
                reason: "not what it should be",
                response: self.hasResponse ? response.response(body: Data()) : nil
            )
        }
    }

    @Test(.bug(id: "F249"), arguments: [true, false])
    func `a serialization error that an interceptor throws after an exchange says that the request was sent`(
        _ hasResponse: Bool
    ) async throws {
        var configuration = Session.Configuration()
        configuration.interceptors = [Refusing(hasResponse: hasResponse)]
        let session = Session(configuration: configuration, transport: StubTransport())
        let request = Request(url: try Peer.url("http://h/"))
        let error = await #expect(throws: SessionError.self) { try await session.response(for: request) }
        #expect(error?.code == .serializationFailed)
        #expect(error?.isRequestSent == true)
        #expect((error?.response != nil) == hasResponse)
    }
}
