// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import HTTPTypes
import NIOCore
import Synchronization

/// The small site that the checks use, on a server or in memory.
final class ConformanceSite: Sendable {
    /// Its origin in memory.
    static let origin = Origin(scheme: .http, host: "conformance.test")

    static let sent = HTTPField.Name("x-sent") ?? .accept
    static let repeated = HTTPField.Name("x-repeated") ?? .accept
    static let empty = HTTPField.Name("x-empty") ?? .accept
    static let link = HTTPField.Name("link") ?? .accept
    static let checksum = HTTPField.Name("x-checksum") ?? .accept

    /// Bytes that are not gzip, whatever their Content-Encoding is.
    static let notGzip = "these bytes are as they are"

    private static let largestBody: Int64 = 16 << 20

    private let hanging = Mutex<[AsyncStream<Never>.Continuation]>([])

    /// Ends the pending exchanges in memory.
    func release() {
        for exchange in self.hanging.withLock({ $0 }) { exchange.finish() }
    }

    /// Responds to a request in memory.
    func answer(_ request: TransportRequest) async throws -> TransportResponse {
        let path = Self.segments(of: request.target)
        switch path.first {
        case "hang":
            let (gate, opener) = AsyncStream<Never>.makeStream()
            self.hanging.withLock { $0.append(opener) }
            for await _ in gate {}
            try Task.checkCancellation()
            throw Self.closed
        case "reset": throw Self.closed
        case "hints":
            request.onInformational?(HTTPResponse.Status(code: 103), [Self.link: "</style.css>"])
            return .text("after the hints")
        case "trailers":
            let body = ResponseBody(ByteBuffer(string: "with trailers"), trailers: [Self.checksum: "abc"])
            return TransportResponse(status: .ok, body: body)
        default: break
        }
        let body = try await request.body.bytes()
        var digest = BodyDigest()
        digest.update(body)
        let received = Received(
            method: request.method,
            target: request.target,
            sent: request.headers[values: Self.sent],
            byteCount: Int64(body.readableBytes),
            sha256: digest.sha256
        )
        return Self.response(to: received).inMemory(of: request.method)
    }

    private static var closed: TransportError {
        TransportError(
            .connectionClosed,
            phase: .responseHead,
            reason: "the connection was closed",
            isRequestSent: true
        )
    }

    /// Makes a server respond as the site.
    static func script(_ server: TestServer) {
        server.respond { request in
            switch Self.segments(of: request.target).first {
            case "hang": return ScriptedResponse(effect: .stall(.beforeResponse))
            case "reset": return ScriptedResponse(effect: .reset(.beforeResponse))
            case "cut": return ScriptedResponse(body: .pattern(100_000), effect: .close(.afterBody(50_000)))
            case "hints":
                var response = ScriptedResponse(body: "after the hints")
                let hint = ScriptedResponse.Informational(
                    status: HTTPResponse.Status(code: 103),
                    headers: [Self.link: "</style.css>"]
                )
                response.informational = [hint]
                return response
            case "trailers":
                var response = ScriptedResponse(body: "with trailers")
                response.framing = .chunked(byteCount: 5)
                response.trailers[Self.checksum] = "abc"
                return response
            default:
                let received = Received(
                    method: request.method,
                    target: request.target,
                    sent: request.headers[values: Self.sent],
                    byteCount: request.bodyByteCount,
                    sha256: request.bodySHA256
                )
                return Self.response(to: received)
            }
        }
    }

    private static func segments(of target: String) -> [Substring] {
        let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }
        return path.split(separator: UInt8(ascii: "/")).map { Substring($0) }
    }
}

extension ConformanceSite {
    /// The received parts of a request.
    private struct Received {
        var method: HTTPRequest.Method
        var target: String
        var sent: [String]
        var byteCount: Int64
        var sha256: String
    }

    /// Returns the responses that are the same on a server and in memory.
    private static func response(to request: Received) -> ScriptedResponse {
        let path = self.segments(of: request.target)
        // A target that a broken transport has changed must not stop the process.
        let number = min(max(path.last.flatMap { Int64($0) } ?? 0, 0), Self.largestBody)
        switch path.first {
        case "status" where (100...999).contains(number):
            return ScriptedResponse(status: HTTPResponse.Status(code: Int(number)))
        case "bytes": return ScriptedResponse(body: .pattern(number))
        case "digest": return ScriptedResponse(body: .text("\(request.byteCount) \(request.sha256)"))
        case "method": return ScriptedResponse(body: .text(request.method.rawValue))
        case "target": return ScriptedResponse(body: .text(request.target))
        case "fields":
            var fields = HTTPFields()
            for (name, value) in [
                (self.repeated, "a"), (self.empty, ""), (self.repeated, "b, c"), (self.repeated, "a"),
            ] {
                fields.append(HTTPField(name: name, value: value))
            }
            return ScriptedResponse(headers: fields, body: .text(request.sent.joined(separator: "|")))
        case "redirect":
            return ScriptedResponse(status: .found, headers: [.location: "/status/200", .setCookie: "a=b; Path=/"])
        case "challenge":
            return ScriptedResponse(status: .unauthorized, headers: [.wwwAuthenticate: #"Basic realm="site""#])
        case "coded":
            return ScriptedResponse(headers: [.contentEncoding: "gzip"], body: .text(self.notGzip))
        default: return ScriptedResponse(status: .notFound)
        }
    }
}

extension ScriptedResponse {
    /// Returns the same response without a server.
    fileprivate func inMemory(of method: HTTPRequest.Method) -> TransportResponse {
        var bytes = ByteBuffer()
        var source = OutgoingResponse(self).body
        while let piece = source.next(upTo: PatternBytes.sliceLimit) { bytes.writeImmutableBuffer(piece) }
        var headers = self.headers
        if self.status != .noContent, self.status != .notModified { headers[.contentLength] = "\(bytes.readableBytes)" }
        if method == .head { bytes.clear() }
        return TransportResponse(status: self.status, headers: headers, body: ResponseBody(bytes))
    }
}
