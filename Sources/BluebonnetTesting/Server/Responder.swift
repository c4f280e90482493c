// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1

/// Decides what one request is answered with: a scripted reply, a handler or a built-in route.
///
/// Made when the head has arrived, then given the body as it comes, then asked for the reply; always on the connection's event loop.
protocol Responder {
    /// Whether the body is to be kept, up to the server's limit, beside being counted and digested.
    var keepsBody: Bool { get }

    /// Whether the rest of the request is to stay unread.
    var isDeaf: Bool { get }

    /// Whether a client that asks may send its body.
    var sendsContinue: Bool { get }

    /// A reply that does not wait for the body.
    func earlyReply(to head: HTTPRequestHead) -> OutgoingReply?

    /// Takes the next bytes of the body.
    mutating func receive(_ bytes: ByteBuffer)

    /// Answers the request, which is complete.
    mutating func reply(to request: ReceivedRequest) -> OutgoingReply
}

extension Responder {
    var keepsBody: Bool { false }
    var isDeaf: Bool { false }
    var sendsContinue: Bool { true }
    func earlyReply(to head: HTTPRequestHead) -> OutgoingReply? { nil }
    mutating func receive(_ bytes: ByteBuffer) {}
}

/// A request that has arrived whole (or was broken off), as responders see it.
struct ReceivedRequest {
    let head: HTTPRequestHead
    let digest: BodyDigest
    /// The first bytes of the body, if the responder wanted them kept.
    let body: ByteBuffer
    let trailers: HTTPHeaders?
    let isComplete: Bool
    let connectionID: Int
    let sequence: Int
    /// The client's certificate in DER, if it has shown one.
    var clientCertificate: [UInt8]?

    var target: RequestTarget { RequestTarget(self.head.uri) }
    /// The method as it was sent; the decoder spells one of them without its hyphen.
    var method: String { self.head.method == .MSEARCH ? "M-SEARCH" : self.head.method.rawValue }
    var isBodyKeptWhole: Bool { Int64(self.body.readableBytes) == self.digest.byteCount }
}

/// Answers with a reply from the script.
struct ScriptResponder: Responder {
    let reply: ScriptedReply

    var keepsBody: Bool { true }
    var isDeaf: Bool { self.reply.effect == .doNotRead }
    var sendsContinue: Bool { self.reply.sendsContinue }

    func earlyReply(to head: HTTPRequestHead) -> OutgoingReply? {
        self.reply.isEarly ? OutgoingReply(self.reply) : nil
    }

    mutating func reply(to request: ReceivedRequest) -> OutgoingReply {
        OutgoingReply(self.reply)
    }
}

/// Answers with what a test's handler says.
struct HandlerResponder: Responder {
    let handler: TestServer.Handler
    let state: Watched<ServerState>

    var keepsBody: Bool { true }

    mutating func reply(to request: ReceivedRequest) -> OutgoingReply {
        do {
            return OutgoingReply(try self.handler(RecordedRequest(request)))
        } catch {
            self.state.update { state in
                state.fail(TestServerError(.handlerFailed, reason: "a handler threw: \(error)", underlying: error))
            }
            return .error(500, "the handler of this path threw an error")
        }
    }
}
