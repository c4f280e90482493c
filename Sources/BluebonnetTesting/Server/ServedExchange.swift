// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import HTTPTypes
import NIOCore
import NIOHTTP1

/// One request and its response on one connection; confined to the connection's event loop.
final class ServedExchange {
    let head: HTTPRequestHead
    private(set) var isRequestComplete = false
    private(set) var isResponseStarted = false
    private(set) var isResponseComplete = false
    private(set) var keepsConnection: Bool

    /// Whether the connection uses TLS.
    var isSecure = false
    /// The client's certificate in DER, if it has presented one.
    var clientCertificate: [UInt8]?

    private var responder: any Responder
    private var program: ResponseProgram?
    /// The framing of the response, once it has begun.
    private(set) var frame: (any ResponseFraming)?
    private var digest = BodyDigest()
    private var kept = ByteBuffer()
    private let keptLimit: Int
    private var trailers: HTTPHeaders?
    private var isRecorded = false
    private let connectionID: Int
    private let sequence: Int

    init(head: HTTPRequestHead, responder: any Responder, connectionID: Int, sequence: Int, bodyLimit: Int) {
        self.head = head
        self.responder = responder
        self.connectionID = connectionID
        self.sequence = sequence
        self.keptLimit = responder.keepsBody ? bodyLimit : 0
        self.keepsConnection = head.version.major >= 2 || head.allowsNextRequest
    }

    var isHTTP2: Bool { self.head.version.major >= 2 }

    /// Whether the rest of the request is never read from the socket.
    var isDeaf: Bool { self.responder.isDeaf }

    /// Whether the client expects `100 Continue` (RFC 9110 section 10.1.1).
    var expectsContinue: Bool {
        !self.head.version.isBeforeHTTP11 && self.head.headers["expect"].contains { $0.isASCIIWord("100-continue") }
    }

    func receive(_ bytes: ByteBuffer) {
        self.digest.update(bytes)
        let room = self.keptLimit - self.kept.readableBytes
        if room > 0 {
            self.kept.writeImmutableBuffer(
                bytes.getSlice(at: bytes.readerIndex, length: min(room, bytes.readableBytes)) ?? bytes
            )
        }
        if !self.isResponseStarted { self.responder.receive(bytes) }
    }

    func complete(trailers: HTTPHeaders?) {
        self.isRequestComplete = true
        self.trailers = trailers
    }

    func makeResponse() -> PendingResponse {
        self.responder.response(to: self.request)
    }

    private var request: ReceivedRequest {
        ReceivedRequest(
            head: self.head,
            digest: self.digest,
            body: self.kept,
            trailers: self.trailers,
            isComplete: self.isRequestComplete,
            connectionID: self.connectionID,
            sequence: self.sequence,
            isSecure: self.isSecure,
            clientCertificate: self.clientCertificate
        )
    }

    /// Returns the request for the server's record; nil after the first call.
    func takeRecord() -> RecordedRequest? {
        guard !self.isRecorded else { return nil }
        self.isRecorded = true
        return RecordedRequest(self.request)
    }

    func startResponse(_ response: OutgoingResponse) {
        let frame: any ResponseFraming =
            self.isHTTP2 ? HTTP2ResponseFrame(response, to: self.head) : ResponseFrame(response, to: self.head)
        self.isResponseStarted = true
        self.frame = frame
        self.program = ResponseProgram(response, in: frame)
    }

    func nextAction() -> ResponseProgram.Action {
        self.program?.next() ?? .finished
    }

    func completeResponse() {
        self.isResponseComplete = true
        self.keepsConnection = self.keepsConnection && self.frame?.keepsConnection ?? false
    }
}

extension HTTPRequestHead {
    /// Whether the number of Host fields is valid: one, and in HTTP/1.0 also none (RFC 9112 section 3.2).
    var hasValidHostCount: Bool {
        let count = self.headers["host"].count
        return count == 1 || count == 0 && self.version.isBeforeHTTP11
    }

    /// Whether another request may follow on an HTTP/1 connection.
    var allowsNextRequest: Bool {
        // The decoder stops at a request for an upgrade, which is never accepted.
        let offersUpgrade = self.method == .CONNECT || self.headers.contains(name: "upgrade")
        // RFC 9112 section 6.1: HTTP/1.0 has no transfer codings, so the end of such a request is uncertain.
        let isUncertain = self.version.isBeforeHTTP11 && self.headers.contains(name: "transfer-encoding")
        return self.isKeepAlive && !offersUpgrade && !isUncertain
    }
}
