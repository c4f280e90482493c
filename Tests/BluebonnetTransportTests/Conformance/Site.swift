// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTesting
import BluebonnetTransport
import HTTPTypes
import NIOCore
import Testing

/// The same small site behind every kind of transport.
enum Site: String, CaseIterable, CustomTestStringConvertible {
    case stub, recording, http1, http1TLS, http2, http2TLS

    /// The transports that have a wire.
    static let engines: [Site] = [.recording, .http1, .http1TLS, .http2, .http2TLS]

    var testDescription: String { self.rawValue }

    func run(_ body: (any Transport, Origin) async throws -> Void) async throws {
        switch self {
        case .stub:
            try await body(StubTransport(Self.answer), Origin(scheme: .http, host: "stub.test"))
        case .http1, .http1TLS, .recording:
            try await Engine.run(tls: self == .http1TLS ? TestServer.TLS() : nil) { engine in
                Self.script(engine.server)
                let transport = engine.transport
                try await body(self == .recording ? RecordingTransport(wrapping: transport) : transport, engine.origin)
                _ = engine.server.takeFailures()
            }
        case .http2, .http2TLS:
            try await HTTP2Server.run(tls: self == .http2TLS) {
                (_: HTTP2Server, transport: NIOTransport, origin: Origin) async throws in
                try await body(transport, origin)
            }
        }
    }

    private static let sent = HTTPField.Name("x-sent") ?? .accept
    private static let checksum = HTTPField.Name("checksum") ?? .accept

    /// Fields that are there twice, or without a value.
    private static let fields: HTTPFields = {
        var fields = HTTPFields()
        for (name, value) in [("x-multi", "a"), ("x-empty", ""), ("x-multi", "b, c"), ("x-multi", "a")] {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        return fields
    }()

    private static func script(_ server: TestServer) {
        server.respond(to: "/count") { .json(String($0.bodyByteCount)) }
        server.respond(to: "/fields") { request in
            let sent = request.headers[values: Self.sent].joined(separator: "|")
            return ScriptedResponse(headers: Self.fields, body: .text(sent))
        }
        server.respond(to: "/hang") { _ in ScriptedResponse(effect: .stall(.beforeResponse)) }
        server.respond(to: "/reset/internal") { _ in ScriptedResponse(effect: .reset(.beforeResponse)) }
        server.respond(to: "/hints") { _ in
            var response = ScriptedResponse()
            response.informational = [ScriptedResponse.Informational(status: HTTPResponse.Status(code: 103))]
            return response
        }
        server.respond(to: "/trailers") { _ in
            var response = ScriptedResponse(body: "with trailers")
            response.framing = .chunked(byteCount: 5)
            response.trailers[Self.checksum] = "abc"
            return response
        }
    }

    @Sendable private static func answer(_ request: TransportRequest) async throws -> TransportResponse {
        let parts = request.target.split(separator: "/")
        let number = parts.last.flatMap { Int($0) } ?? 0
        switch parts.first {
        case "status": return TransportResponse(status: HTTPResponse.Status(code: number))
        case "bytes":
            let headers: HTTPFields = [.contentLength: String(number)]
            let count = request.method == .head ? 0 : number
            return TransportResponse(
                status: .ok,
                headers: headers,
                body: ResponseBody(ByteBuffer(repeating: 1, count: count))
            )
        case "count": return .json(String(try request.body.collect().readableBytes))
        case "fields":
            let sent = request.headers[values: Self.sent].joined(separator: "|")
            return TransportResponse(status: .ok, headers: Self.fields, body: ResponseBody(ByteBuffer(string: sent)))
        case "hints":
            request.onInformational?(HTTPResponse.Status(code: 103), HTTPFields())
            return TransportResponse(status: .ok)
        case "trailers":
            let trailers: HTTPFields = [Self.checksum: "abc"]
            return TransportResponse(
                status: .ok,
                body: ResponseBody(ByteBuffer(string: "with trailers"), trailers: trailers)
            )
        case "hang":
            // Ends when the task is cancelled, and not before.
            let (stream, continuation) = AsyncStream<Never>.makeStream()
            for await _ in stream {}
            continuation.finish()
            throw CancellationError()
        case "reset":
            throw TransportError(.connectionClosed, phase: .responseHead, reason: "the stub broke", isRequestSent: true)
        default: return TransportResponse(status: .notFound)
        }
    }
}
