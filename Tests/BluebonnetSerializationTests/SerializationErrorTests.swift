// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// Every code, with something that provokes it: a code that nothing can provoke, or that is documented wrongly, does not survive this.
@Suite struct SerializationErrorTests {
    struct Recipe: Sendable, CustomTestStringConvertible {
        let code: SerializationError.Code
        let body: @Sendable (TemporaryDirectory) throws -> Void

        var testDescription: String { self.code.description }

        init(_ code: SerializationError.Code, _ body: @escaping @Sendable (TemporaryDirectory) throws -> Void) {
            self.code = code
            self.body = body
        }
    }

    private static func response(_ status: HTTPResponse.Status, _ type: String, _ body: String) -> Response {
        Response(status: status, headers: [.contentType: type], body: Data(body.utf8))
    }

    private static let serializer = HTTPRequestSerializer(defaultHeaders: HTTPFields())

    static let recipes: [Recipe] = [
        Recipe(.invalidURL) { _ in _ = try Self.serializer.makeRequest(.get, "ftp://h/") },
        Recipe(.invalidMethod) { _ in _ = try Request(methodName: "GET / HTTP/1.1\r\n", parsing: "http://h/") },
        Recipe(.invalidHeader) { _ in
            var serializer = Self.serializer
            try serializer.setValue("a\r\nb", forHeader: "X")
        },
        Recipe(.invalidParameters) { _ in _ = try QueryString.encode([1]) },
        Recipe(.unencodableValue) { _ in _ = try JSONValue(.double(.nan)) },
        Recipe(.malformedEscape) { _ in _ = try PercentEncoding.unescape("%") },
        Recipe(.invalidBoundary) { _ in _ = try MultipartFormData(boundary: "").makeReader() },
        Recipe(.fileNotFound) { _ = try RequestBody.file($0.file("none")).makeReader() },
        Recipe(.notARegularFile) { _ = try RequestBody.file($0.url).makeReader() },
        Recipe(.fileNotReadable) { directory in
            // A link to itself cannot be opened by anybody, root included.
            _ = try RequestBody.file(directory.makeLoop("loop")).makeReader()
        },
        Recipe(.fileNotWritable) { _ = try RequestBody.none.write(to: $0.url) },
        Recipe(.lengthMismatch) { _ in
            _ = try RequestBody.stream(length: 2, makeReader: { BytesReader([1]) }).collect()
        },
        Recipe(.bodyNotReplayable) { _ in
            let body = RequestBody.reader(BytesReader([]), length: 0)
            _ = try body.collect()
            _ = try body.collect()
        },
        Recipe(.bodyNotAllowed) { _ in
            _ = try Self.serializer.serialize(Request(parsing: "http://h/"), multipart: MultipartFormData())
        },
        Recipe(.readFailed) { _ in
            _ = try RequestBody.stream(length: nil, makeReader: { BytesReader([], fails: true) }).collect()
        },
        Recipe(.limitExceeded) { _ in _ = try RequestBody.data(Data(count: 2)).collect(upTo: 1) },
        Recipe(.unacceptableContentType) { _ in
            _ = try JSONResponseSerializer().serialize(Self.response(.ok, "text/html", "<p>"))
        },
        Recipe(.unacceptableStatus) { _ in
            _ = try HTTPResponseSerializer().serialize(Self.response(.notFound, "text/html", "<p>"))
        },
        Recipe(.emptyBody) { _ in
            _ = try DecodableResponseSerializer([Int].self).serialize(Self.response(.ok, "application/json", ""))
        },
        Recipe(.malformedBody) { _ in
            _ = try JSONResponseSerializer().serialize(Self.response(.ok, "application/json", "[1,]"))
        },
        Recipe(.decodingFailed) { _ in
            _ = try DecodableResponseSerializer([Int].self).serialize(Self.response(.ok, "application/json", "[\"a\"]"))
        },
        Recipe(.unsupportedCharset) { _ in _ = try TextEncoding.ascii.encode("é") },
        Recipe(.noSerializerSucceeded) { _ in
            let compound = CompoundResponseSerializer<JSONValue?>([JSONResponseSerializer()])
            _ = try compound.serialize(Self.response(.ok, "application/json", "[1,]"))
        },
    ]

    @Test(arguments: Self.recipes)
    func `every code can be provoked and explains itself`(_ recipe: Recipe) throws {
        let directory = try TemporaryDirectory()
        let error = #expect(throws: SerializationError.self) { try recipe.body(directory) }
        #expect(error?.code == recipe.code)
        #expect(ErrorSentence.fault(in: error?.reason) == nil)
        #expect(error.map { "\($0)" }?.hasPrefix("\(recipe.code): ") == true)
    }

    @Test(arguments: [
        ("the end", true), ("JSON has no end", true), ("'a' is a directory", true), ("“a” ends", true),
        ("The end", false), ("A file ends", false), ("the end.", false), ("", false),
    ])
    func `the style of a sentence is judged`(_ sentence: String, _ isRight: Bool) {
        #expect((ErrorSentence.fault(in: sentence) == nil) == isRight)
    }

    @Test func `the localized description is the reason`() {
        let error: any Error = SerializationError(.emptyBody, reason: "there is no body")
        #expect(error.localizedDescription == "there is no body")
    }

    @Test func `every code has its recipe`() {
        #expect(Set(Self.recipes.map(\.code)).count == 23)
        #expect(Self.recipes.count == 23)
    }
}
