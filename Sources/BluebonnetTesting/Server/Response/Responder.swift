// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1

/// Determines the response to one request: a scripted response, a handler or a built-in route.
///
/// It is created when the head has arrived, then receives the body as it arrives, then returns the response; always on
/// the connection's event loop.
protocol Responder {
    /// Whether the body is kept, up to the server's limit, in addition to being counted and digested.
    var keepsBody: Bool { get }

    /// Whether the rest of the request is left unread.
    var isDeaf: Bool { get }

    /// Whether a client that expects `100 Continue` receives it.
    var sendsContinue: Bool { get }

    /// Returns a response that does not wait for the body.
    func earlyResponse(to head: HTTPRequestHead) -> OutgoingResponse?

    /// Receives the next bytes of the body.
    mutating func receive(_ bytes: ByteBuffer)

    /// Returns the response to the complete request.
    mutating func response(to request: ReceivedRequest) -> PendingResponse
}

/// A response, or what makes it.
enum PendingResponse {
    case ready(OutgoingResponse)
    /// A function that may take time; it runs outside the event loop, in a task that is cancelled when the connection ends.
    case later(@Sendable () async -> OutgoingResponse)
}

extension Responder {
    var keepsBody: Bool { false }
    var isDeaf: Bool { false }
    var sendsContinue: Bool { true }
    func earlyResponse(to head: HTTPRequestHead) -> OutgoingResponse? { nil }
    mutating func receive(_ bytes: ByteBuffer) {}
}

/// A request that has arrived completely (or was cut short), for responders.
struct ReceivedRequest {
    let head: HTTPRequestHead
    let digest: BodyDigest
    /// The first bytes of the body, if the responder keeps them.
    let body: ByteBuffer
    let trailers: HTTPHeaders?
    let isComplete: Bool
    let connectionID: Int
    let sequence: Int
    /// Whether the connection uses TLS.
    let isSecure: Bool
    /// The client's certificate in DER, if it has presented one.
    var clientCertificate: [UInt8]?

    var target: ReceivedTarget { ReceivedTarget(self.head.uri) }
    /// The method as sent; the decoder spells one of them without its hyphen.
    var method: String { self.head.method == .MSEARCH ? "M-SEARCH" : self.head.method.rawValue }
    var isBodyKeptWhole: Bool { Int64(self.body.readableBytes) == self.digest.byteCount }
}

/// Responds with a response of the script.
struct ScriptResponder: Responder {
    let response: ScriptedResponse

    var keepsBody: Bool { true }
    var isDeaf: Bool { self.response.effect == .doNotRead }
    var sendsContinue: Bool { self.response.sendsContinue }

    func earlyResponse(to head: HTTPRequestHead) -> OutgoingResponse? {
        self.response.isEarly ? OutgoingResponse(self.response) : nil
    }

    mutating func response(to request: ReceivedRequest) -> PendingResponse {
        .ready(OutgoingResponse(self.response))
    }
}

/// Responds with the result of a test's handler.
struct HandlerResponder: Responder {
    let handler: TestServer.Handler
    let state: ObservedState<ServerState>

    var keepsBody: Bool { true }

    mutating func response(to request: ReceivedRequest) -> PendingResponse {
        let record = RecordedRequest(request)
        return .later { [handler, state] in
            do {
                return OutgoingResponse(try await handler(record))
            } catch is CancellationError where Task.isCancelled {
                // Nobody is left to receive it.
                return .error(500, "the connection ended")
            } catch {
                state.update { state in
                    state.fail(TestServerError(.handlerFailed, reason: "a handler threw: \(error)", underlying: error))
                }
                return .error(500, "the handler of this path threw an error")
            }
        }
    }
}
