// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTesting
import BluebonnetTransport
import FoundationEssentials
import HTTPTypes
import NIOCore
import Testing

@testable import Bluebonnet

/// What a program prints by accident, in a log or in a crash report.
@Suite struct PrintedSecretsTests {
    /// Part of every secret.
    private static let mark = "s3cret"

    private static let url = "https://ada:\(mark)@h:8443/path?token=\(mark)#\(mark)"

    private static let base = "https://ada:\(mark)@h:8443/path"

    private static let headers: HTTPFields = [
        .authorization: "Bearer \(mark)", .cookie: "id=\(mark)", .setCookie: "id=\(mark)",
    ]

    private struct Wrapper {
        var value: Any
    }

    private static func request() throws -> Request {
        var request = try Request(method: .post, parsing: self.url)
        request.headers = self.headers
        request.body = .data(Data("password=\(self.mark)".utf8))
        request.authentication = .bearer(self.mark)
        return request
    }

    private static func response() throws -> Response {
        Response(status: .ok, headers: self.headers, body: Data(self.mark.utf8), request: try self.request())
    }

    private static func api() throws -> HTTPSession {
        var configuration = Session.Configuration()
        configuration.headers = self.headers
        configuration.authentication = .bearer(self.mark)
        configuration.proxy = .fixed(try Proxy("http://ada:\(self.mark)@p:1"))
        var api = try HTTPSession(self.base, configuration: configuration, transport: StubTransport { _ in .plain("") })
        api.requestSerializer = HTTPRequestSerializer(defaultHeaders: self.headers)
        return api
    }

    private static func metrics() -> ExchangeMetrics {
        var metrics = ExchangeMetrics()
        metrics.receivedHeaders = self.headers
        return metrics
    }

    /// The values by their names.
    private static func values() throws -> [(name: String, value: Any)] {
        let (request, response, api) = (try self.request(), try self.response(), try self.api())
        var streamed = StreamedResponse(
            to: request,
            status: .ok,
            headers: self.headers,
            body: ResponseBody(ByteBuffer(string: self.mark), trailers: self.headers),
            metrics: self.metrics()
        )
        streamed.history = [response]
        var outgoing = TransportRequest(origin: Origin(scheme: .https, host: "h"), target: "/x?\(self.mark)")
        outgoing.headers = self.headers
        outgoing.body = .bytes(ByteBuffer(string: self.mark))
        var absolute = outgoing
        absolute.target = self.url
        let incoming = TransportResponse(
            status: .ok,
            headers: self.headers,
            body: ResponseBody(ByteBuffer(string: self.mark), trailers: self.headers),
            metrics: self.metrics()
        )
        let call = Call(request)
        let redirect = Redirect(
            response: response,
            request: request,
            proposedRequest: request,
            isCrossOrigin: false,
            count: 0,
            retryAfter: nil
        )
        let error = SessionError(.unacceptableStatus, reason: "refused", request: request, response: response)
        let retry = RetryContext(
            request: request,
            attempt: 1,
            response: response,
            error: error,
            isRequestSent: true,
            retryAfter: nil,
            elapsed: .zero,
            proposal: .stop
        )
        let uploaded = UploadedFile(url: URL(string: self.url), byteCount: 1, response: response)
        let remains = UploadRemains(
            acknowledgedByteCount: 0,
            byteCount: 1,
            url: URL(string: self.url),
            journal: URL(filePath: "/journal")
        )
        let prepared = try api.prepare(.post, "x?token=\(self.mark)", parameters: ["password": self.mark])
        return [
            ("Request", request), ("Response", response), ("StreamedResponse", streamed), ("HTTPSession", api),
            ("Session", api.session), ("Configuration", api.session.configuration), ("PreparedCall", prepared),
            ("method", api.get), ("SessionTask", prepared.task()), ("serializer", api.requestSerializer),
            ("document serializer", JSONRequestSerializer(base: HTTPRequestSerializer(defaultHeaders: self.headers))),
            ("TransportRequest", outgoing), ("absolute TransportRequest", absolute), ("TransportResponse", incoming),
            ("ResponseBody", incoming.body), ("ExchangeMetrics", incoming.metrics), ("Call", call),
            ("Chain", Chain(call, stages: api.session.stages)), ("Redirect", redirect), ("RetryContext", retry),
            ("SessionError", error),
            ("SerializationError", SerializationError(.unacceptableStatus, reason: "refused", response: response)),
            ("exchangeStarted", CallEvent.exchangeStarted(request)),
            ("responseReceived", CallEvent.responseReceived(.ok, self.headers, self.metrics())),
            ("responseBodyEnded", CallEvent.responseBodyEnded(byteCount: 1, self.metrics())),
            ("callFailed", CallEvent.callFailed(error)), ("UploadedFile", uploaded), ("UploadRemains", remains),
        ]
    }

    /// The texts of a value, in each way to print one.
    private static func texts(_ value: Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        var nested = ""
        dump([value], to: &nested)
        return [
            "\(value)", String(reflecting: value), "\([value])", "\(Optional(value) as Any)",
            "\(Wrapper(value: value))",
            "\(["key": value])", dumped, nested,
        ]
    }

    @Test(.bug(id: "F473")) func `no value prints a token, a query, a password or a cookie`() throws {
        for (name, value) in try Self.values() {
            for text in Self.texts(value) { #expect(!text.contains(Self.mark), "\(name): \(text.prefix(2_000))") }
        }
    }

    @Test(.bug(id: "F473")) func `a printed value says what it is`() throws {
        let line = "https://h:8443/path"
        #expect("\(try Self.request())" == "Request(POST \(line), 3 header fields)")
        #expect("\(try Self.response())".contains("200"))
        #expect("\(try Self.response())".contains("POST \(line)"))
        #expect("\(try Self.api())".hasPrefix("HTTPSession(\(line)"))
        let event = CallEvent.responseReceived(.ok, Self.headers, ExchangeMetrics())
        #expect("\(event)".hasPrefix("responseReceived("))
        #expect("\(event)".contains("3 header fields"))
        #expect("\(CallEvent.callEnded)" == "callEnded")
        #expect("\(CallEvent.retryRefused(.budget))".hasPrefix("retryRefused("))
    }

    @Test(
        .bug(id: "F473"),
        arguments: [
            ("http://h/a", "http://h/a"), ("http://h", "http://h"), ("http://u:p@h/a?b#c", "http://h/a"),
            ("http://u@x@h/a@b", "http://h/a@b"), ("http://h#a@b", "http://h"),
            ("http://h/?a=http://u:p@x", "http://h/"),
            ("users/1?a", "(unusable URL)"), ("data:,s3cret", "(unusable URL)"), ("file:///a?b", "file:///a"),
        ]
    )
    func `a URL is printed without its secrets`(_ text: String, _ expected: String) throws {
        #expect(URL(string: text)?.redactedText ?? expected == expected)
    }
}
