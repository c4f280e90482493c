// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import FoundationEssentials
import Testing

@Suite struct ResponseValidationTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var response: Response
        var validation = ResponseValidation(contentTypes: ["application/json"])
        var code: SerializationError.Code?
        var underlying: SerializationError.Code?
    }

    static let cases: [Case] = [
        Case(testDescription: "the right type and status", response: .stub("{}")),
        Case(
            testDescription: "parameters and case do not count",
            response: .stub("{}", type: "Application/JSON; charset=utf-8")
        ),
        Case(
            testDescription: "the wrong type",
            response: .stub("x", type: "text/html"),
            code: .unacceptableContentType
        ),
        Case(testDescription: "no type", response: .stub("x", type: nil), code: .unacceptableContentType),
        Case(testDescription: "no type and no body", response: .stub(type: nil)),
        Case(testDescription: "204 without a type", response: .stub(type: nil, status: 204)),
        Case(testDescription: "the wrong type and no body", response: .stub(type: "text/html")),
        Case(testDescription: "the wrong status", response: .stub("{}", status: 500), code: .unacceptableStatus),
        Case(
            testDescription: "the wrong type under the wrong status",
            response: .stub("x", type: "text/html", status: 404),
            code: .unacceptableStatus,
            underlying: .unacceptableContentType
        ),
        Case(
            testDescription: "two types at once",
            response: .stub("x", type: "text/html, application/json"),
            code: .unacceptableContentType
        ),
        Case(
            testDescription: "a wildcard subtype",
            response: .stub("x", type: "text/html"),
            validation: ResponseValidation(contentTypes: ["text/*"])
        ),
        Case(
            testDescription: "a wildcard for everything",
            response: .stub("x", type: "image/png"),
            validation: ResponseValidation(contentTypes: ["*/*"])
        ),
        Case(
            testDescription: "a wildcard for everything, and no type",
            response: .stub("x", type: nil),
            validation: ResponseValidation(contentTypes: ["application/json", "*/*"])
        ),
        Case(
            testDescription: "a wildcard for everything, and a type that cannot be read",
            response: .stub("x", type: "nonsense"),
            validation: ResponseValidation(contentTypes: ["*/*; q=0.1"])
        ),
        Case(
            testDescription: "a wildcard subtype, and no type",
            response: .stub("x", type: nil),
            validation: ResponseValidation(contentTypes: ["application/*"]),
            code: .unacceptableContentType
        ),
        Case(
            testDescription: "a structured suffix",
            response: .stub("x", type: "application/problem+json"),
            validation: ResponseValidation(contentTypes: ["application/*+json"])
        ),
        Case(
            testDescription: "a structured suffix of any type",
            response: .stub("x", type: "model/gltf+JSON"),
            validation: ResponseValidation(contentTypes: ["*+json"])
        ),
        Case(
            testDescription: "another structured suffix",
            response: .stub("x", type: "application/json+xml"),
            validation: ResponseValidation(contentTypes: ["*+json"]),
            code: .unacceptableContentType
        ),
        Case(
            testDescription: "a suffix alone is no subtype",
            response: .stub("x", type: "application/+json"),
            validation: ResponseValidation(contentTypes: ["application/*+json"]),
            code: .unacceptableContentType
        ),
        Case(
            testDescription: "a pattern in capitals with a parameter",
            response: .stub("x", type: "text/plain"),
            validation: ResponseValidation(contentTypes: ["TEXT/PLAIN; charset=utf-8"])
        ),
        Case(testDescription: "nothing is refused", response: .stub("x", type: nil, status: 999), validation: .none),
        Case(
            testDescription: "no status is accepted",
            response: .stub("{}"),
            validation: ResponseValidation(statusCodes: []),
            code: .unacceptableStatus
        ),
    ]

    @Test(arguments: Self.cases) func `1.2.2 looks at the content type, then at the status`(_ example: Case) {
        var thrown: SerializationError?
        do throws(SerializationError) { try example.validation.validate(example.response) } catch { thrown = error }
        #expect(thrown?.code == example.code)
        #expect((thrown?.underlying as? SerializationError)?.code == example.underlying)
        if example.code != nil { #expect(thrown?.response?.body == example.response.body) }
    }

    @Test func `1.2.2 says what came, what was allowed and how to allow it`() {
        let error = #expect(throws: SerializationError.self) {
            try ResponseValidation(contentTypes: ["application/json", "text/json"]).validate(
                .stub("<p>", type: "text/PLAIN; q=1")
            )
        }
        #expect(
            error?.reason
                == "the response is text/plain; accepted: application/json, text/json; to take it, add \"text/plain\" to acceptableContentTypes"
        )
        let status = #expect(throws: SerializationError.self) {
            try ResponseValidation(statusCodes: Set(200..<300).union([304])).validate(.stub("{}", status: 404))
        }
        #expect(
            status?.reason
                == "the response's status is 404 (Not Found); accepted: 200–299, 304; to take it, add 404 to acceptableStatusCodes"
        )
    }

    @Test(.bug(id: "F644")) func `1.2.2 a page in place of a document is not to be accepted`() {
        let error = #expect(throws: SerializationError.self) {
            try ResponseValidation(contentTypes: ["application/json"]).validate(.stub("<p>", type: "text/html"))
        }
        let reason = "the response is text/html; accepted: application/json; it may be an error page or a login page"
        #expect(error?.reason == reason)
    }

    @Test(
        .bug(id: "F765"),
        arguments: ["application/vnd.api+json", "application/problem+json; charset=utf-8", "model/gltf+json"]
    )
    func `1.2.2 every JSON type is accepted`(_ type: String) throws {
        let response = Response.stub("[1]", type: type)
        #expect(try DecodableResponseSerializer([Int].self).serialize(response) == [1])
        #expect(try JSONResponseSerializer().serialize(response) == [1])
    }

    @Test(.bug(id: "F765")) func `1.2.2 who decodes is told where the rule is`() {
        let type = #expect(throws: SerializationError.self) {
            try DecodableResponseSerializer([Int].self).serialize(.stub("[1]", type: "text/x"))
        }
        let place = "in the validation of serializer: .decodable(Array<Int>.self)"
        #expect(type?.reason.hasSuffix("; to take it, add \"text/x\" to acceptableContentTypes \(place)") == true)
        let status = #expect(throws: SerializationError.self) {
            try DecodableResponseSerializer([Int].self).serialize(.stub("[1]", status: 404))
        }
        #expect(status?.reason.hasSuffix("; to take it, add 404 to acceptableStatusCodes \(place)") == true)
    }

    @Test(.bug(id: "F644")) func `1.2.2 who wants a text or bytes is told the serializer for them`() {
        let response = Response.stub("hello", type: "text/plain")
        let text = #expect(throws: SerializationError.self) {
            try DecodableResponseSerializer(String.self).serialize(response)
        }
        #expect(text?.reason.hasSuffix("; for text that is not JSON, use serializer: .string") == true)
        let bytes = #expect(throws: SerializationError.self) {
            try DecodableResponseSerializer(Data.self).serialize(response)
        }
        #expect(bytes?.reason.hasSuffix("; for the bytes of the body, use serializer: .data") == true)
    }

    @Test func `1.2.2 the message never holds bytes that the server chose freely`() {
        let error = #expect(throws: SerializationError.self) {
            try ResponseValidation(contentTypes: ["a/b"]).validate(.stub("x", type: "text html \u{1b}[31m"))
        }
        #expect(error?.reason.contains("cannot be read") == true)
        let long = #expect(throws: SerializationError.self) {
            try ResponseValidation(contentTypes: ["a/b"]).validate(
                .stub("x", type: "a/" + String(repeating: "x", count: 10_000))
            )
        }
        #expect((long?.reason.utf8.count ?? .max) < 400)
    }

    @Test func `1.2.2 finds a code below another`() {
        let error = #expect(throws: SerializationError.self) {
            try ResponseValidation(contentTypes: ["a/b"]).validate(.stub("x", status: 500))
        }
        #expect(error?.contains(.unacceptableContentType) == true)
        #expect(error?.contains(.unacceptableStatus) == true)
        #expect(error?.contains(.malformedBody) == false)
    }
}
