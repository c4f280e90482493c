// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import Testing

@testable import Bluebonnet

/// Streams whose bytes have a content coding that the engine does not decode.
@Suite(.timeLimit(.minutes(1))) struct CodedStreamTests {
    struct Reading: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let count: @Sendable (StreamedResponse) async throws -> Int

        init<Stream: AsyncSequence & Sendable>(
            _ name: String,
            _ stream: @escaping @Sendable (StreamedResponse) -> Stream
        ) {
            self.testDescription = name
            self.count = { response in try await stream(response).reduce(0) { count, _ in count + 1 } }
        }
    }

    private static let readings = [
        Reading("events") { $0.events() }, Reading("lines") { $0.lines },
        Reading("bytes") { $0.byteLines() }, Reading("JSON lines") { $0.jsonLines(as: Int.self) },
        Reading("JSON texts") { $0.jsonTextSequence(as: Int.self) },
    ]

    private static func response(_ coding: String, _ text: String) async throws -> StreamedResponse {
        let transport = StubTransport { _ in .plain(text, headers: [.contentEncoding: coding]) }
        return try await Session(transport: transport).send(Request(url: try Peer.url("http://h/")))
    }

    @Test(.bug(id: "F640"), arguments: Self.readings, ["dcb", "lzma", "Compress"])
    func `a stream with a coding that was not decoded is an error`(_ reading: Reading, _ coding: String) async throws {
        let response = try await Self.response(coding, "1\n\n")
        let error = await #expect(throws: SessionError.self) { try await reading.count(response) }
        #expect(error?.code == .decompressionFailed)
        #expect(error?.reason == "the body has the content coding \(coding.lowercased()), which was not decoded")
        #expect(error?.response?.status == .ok)
    }

    @Test(.bug(id: "F640"), arguments: ["utf-8", "aws-chunked", "identity", ""])
    func `a plain stream is read, whatever coding its server names`(_ coding: String) async throws {
        let lines = Self.readings[1]
        #expect(try await lines.count(Self.response(coding, "1\n2\n")) == 2)
    }

    @Test(.bug(id: "F640")) func `an empty body has no coding`() async throws {
        for reading in Self.readings { #expect(try await reading.count(Self.response("dcb", "")) == 0) }
    }
}
