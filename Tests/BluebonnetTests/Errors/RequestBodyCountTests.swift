// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import Foundation
import HTTPTypes
import Testing

@testable import Bluebonnet

/// How many bytes of a request's body an error says that the server may have.
@Suite(.timeLimit(.minutes(1))) struct RequestBodyCountTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var code: SessionError.Code
        var response: ScriptedResponse

        var testDescription: String { self.code.description }

        static let json: HTTPFields = [.contentType: "application/json"]

        static let all = [
            Case(code: .unacceptableStatus, response: ScriptedResponse(status: .internalServerError)),
            Case(code: .serializationFailed, response: .json("{")),
            Case(
                code: .unacceptableContentType,
                response: ScriptedResponse(headers: [.contentType: "text/html"], body: "<p>")
            ),
            Case(code: .responseTooLarge, response: ScriptedResponse(headers: json, body: .pattern(2_000))),
            Case(
                code: .connectionClosed,
                response: ScriptedResponse(headers: json, body: .pattern(900), effect: .reset(.afterBody(10)))
            ),
            Case(
                code: .tooManyRedirects,
                response: ScriptedResponse(status: .temporaryRedirect, headers: [.location: "/rows"])
            ),
        ]
    }

    @Test(.bug(id: "F737"), arguments: Case.all)
    func `an error after the whole body was sent has its size`(_ failing: Case) async throws {
        try await TestServer.withServer { server in
            server.respond { _ in failing.response }
            var configuration = Session.Configuration()
            configuration.limits.responseByteCount = 1_000
            configuration.redirects = .follow(maximum: 1)
            let api = try HTTPSession(server.url, configuration: configuration)
            let error = await #expect(throws: SessionError.self) {
                try await api.post("rows", body: .data(Data(count: 700)), as: [Int].self)
            }
            #expect(error?.code == failing.code)
            #expect(error?.requestBodyByteCount == 700)
        }
    }

    @Test func `an error before anything was sent has no bytes`() async throws {
        let api = try HTTPSession("http://127.0.0.1:1")
        let error = await #expect(throws: SessionError.self) { try await api.post("rows", body: .data(Data(count: 7))) }
        #expect(error?.requestBodyByteCount == 0)
    }
}
