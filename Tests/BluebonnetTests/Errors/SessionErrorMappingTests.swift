// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
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

    /// The error of a program, whose text has secrets.
    private struct Secretive: Error, CustomStringConvertible {
        var description: String { "https://ada:s3cret@h/?token=s3cret" }
    }

    /// Sends a body that fails.
    private static func error(ofBody error: any Error) async throws -> SessionError {
        try await TestServer.withServer { server in
            let session = Session()
            let body = RequestBody.stream(AsyncThrowingStream<[UInt8], any Error> { $0.finish(throwing: error) })
            let request = Request(method: .put, url: try Peer.url("http://localhost:\(server.port)/"), body: body)
            let thrown = await #expect(throws: SessionError.self) { try await session.response(for: request) }
            await session.shutdown()
            _ = server.takeFailures()
            return try #require(thrown)
        }
    }

    @Test(.bug(id: "F639")) func `the error of a request's body is named by its type, and its text is not printed`()
        async throws
    {
        let error = try await Self.error(ofBody: Secretive())
        #expect(error.code == .bodyFailed)
        #expect(error.reason == "the request's body could not be read: an error of type Secretive")
        #expect((error.underlying as? TransportError)?.underlying is Secretive)
        #expect(!error.description.contains("s3cret"))
    }

    @Test(.bug(id: "F639")) func `the error of a response that is the body of another request keeps its reason`()
        async throws
    {
        let cause = SessionError(.connectionClosed, reason: "the server went away")
        let error = try await Self.error(ofBody: cause)
        #expect(error.reason == "the request's body could not be read: the server went away")
    }

    @Test(.bug(id: "F645")) func `the error of a policy of the program is not an interceptor's`() async throws {
        var redirecting = Session.Configuration()
        redirecting.redirects = RedirectPolicy { _ in throw Secretive() }
        var retrying = Session.Configuration()
        retrying.retries = RetryPolicy(attempts: 3) { _ in throw Secretive() }
        for (configuration, status, policy) in [(redirecting, 302, "redirect"), (retrying, 503, "retry")] {
            let transport = StubTransport { _ in .plain("", status: status, headers: [.location: "/"]) }
            let session = Session(configuration: configuration, transport: transport)
            let request = Request(url: try Peer.url("http://h/"))
            let error = await #expect(throws: SessionError.self) { try await session.response(for: request) }
            #expect(error?.code == .interceptorFailed)
            #expect(error?.underlying is Secretive)
            #expect(error?.reason == "the function of the \(policy) policy failed with an error of type Secretive")
        }
    }

    @Test(
        .bug(id: "F646"),
        arguments: [
            ("ftp://h/", "the redirect cannot be followed: its Location field is not an http or https URL"),
            ("http://[", "the redirect cannot be followed: its Location field is not an http or https URL"),
            ("/next", "the redirect was not followed, see Session.Configuration.redirects"),
        ]
    )
    func `a redirect that is not followed says why`(_ location: String, _ advice: String) async throws {
        var configuration = Session.Configuration()
        if location == "/next" { configuration.redirects = .none }
        let transport = StubTransport { _ in .plain("", status: 302, headers: [.location: location]) }
        let session = Session(configuration: configuration, transport: transport)
        let request = Request(url: try Peer.url("http://h/"))
        let error = await #expect(throws: SessionError.self) {
            try await session.value(for: request, serializer: .string)
        }
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.reason.hasSuffix("; \(advice)") == true, "\(error?.reason ?? "")")
    }
}
