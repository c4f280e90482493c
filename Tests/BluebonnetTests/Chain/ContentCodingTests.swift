// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTesting
import FoundationEssentials
import NIOCore
import Testing

/// Compressed responses: who asks for them, and who gets them decoded.
@Suite(.timeLimit(.minutes(1))) struct ContentCodingTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var configured = true
        var requested: Bool?
        var headers = HTTPFields()
        var sent: String?
        var decodes: Bool
        var testDescription: String { self.name }
    }

    static let cases = [
        Case(name: "by default", sent: TransportRequest.decodableCodings.joined(separator: ", "), decodes: true),
        Case(name: "switched off", configured: false, sent: nil, decodes: false),
        Case(name: "the caller's own choice", headers: [.acceptEncoding: "identity"], sent: "identity", decodes: true),
        Case(name: "a range", headers: [.range: "bytes=0-9"], sent: nil, decodes: false),
        Case(name: "switched off for the request", requested: false, sent: nil, decodes: false),
        Case(
            name: "switched on for the request",
            configured: false,
            requested: true,
            sent: TransportRequest.decodableCodings.joined(separator: ", "),
            decodes: true
        ),
        Case(name: "a range that may be ignored", requested: true, headers: [.range: "bytes=0-9"], decodes: true),
    ]

    @Test(arguments: cases) func `are asked for unless there is a reason not to`(_ one: Case) async throws {
        let transport = StubTransport { _ in TransportResponse(status: .ok) }
        var configuration = Session.Configuration()
        configuration.decodesContent = one.configured
        let session = Session(configuration: configuration, transport: transport)
        let url = try #require(URL(string: "http://example.com/"))
        var request = Request(url: url, headers: one.headers)
        request.options.decodesContent = one.requested
        _ = try await session.response(for: request)
        _ = try await session.dataTask(with: request, serializer: HTTPResponseSerializer()).started.value
        for sent in transport.requests {
            #expect(sent.headers[.acceptEncoding] == one.sent)
            #expect(sent.decodesContent == one.decodes)
        }
        #expect(transport.requests.count == 2)
    }

    @Test func `are decoded for a value and kept in a file`() async throws {
        try await TestServer.withServer { server in
            let session = Session(transport: NIOTransport())
            let url = try #require(URL(string: server.url + "/gzip"))
            let response = try await session.response(for: Request(url: url))
            #expect(response.headers[.contentEncoding] == nil)
            #expect(response.body.first == UInt8(ascii: "{"))
            let directory = try TemporaryDirectory()
            var request = Request(url: url)
            request.options.decodesContent = true
            let file = try await session.download(request, to: directory.url.appending(path: "kept"))
            let saved = try Data(contentsOf: file.url)
            #expect(file.response.headers[.contentEncoding] == "gzip")
            #expect(saved.starts(with: [0x1F, 0x8B]))
            await session.transport.shutdown()
        }
    }
}

extension SessionTask {
    /// The task, after it was resumed.
    fileprivate var started: Self {
        self.resume()
        return self
    }
}
