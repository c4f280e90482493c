// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1

extension ConnectionHandler {
    /// Why a request is refused before anything answers it.
    enum Refusal {
        /// It is not valid HTTP.
        case malformed
        /// It has a method that the decoder does not know (RFC 9110 section 9.1).
        case unknownMethod

        fileprivate var status: String {
            switch self {
            case .malformed: "400 Bad Request"
            case .unknownMethod: "501 Not Implemented"
            }
        }

        /// The reason of the reported failure; empty for a request that is not HTTP.
        var text: String {
            switch self {
            case .malformed: ""
            case .unknownMethod: "the method of the request is none that this server knows over HTTP/1.1"
            }
        }
    }

    /// The refusal of what the decoder has failed at.
    func refusal(of error: any Error) -> Refusal {
        switch error as? HTTPParserError {
        // The second is what the decoder says of methods of other protocols.
        case .invalidMethod?, .invalidConstant?:
            self.requestLines?.hasUnknownMethod == true ? .unknownMethod : .malformed
        default: .malformed
        }
    }

    /// Reports a request that is refused to the test.
    func report(_ reason: String) {
        self.state.update { $0.fail(TestServerError(.malformedRequest, reason: reason)) }
    }

    /// Reports a request to a strict server that has no response for it, and returns the responder of the client.
    func unexpectedResponder(to head: HTTPRequestHead) -> any Responder {
        let reason = "no response was enqueued for \(head.method.rawValue) \(head.uri), and no handler takes it"
        self.state.update { $0.fail(TestServerError(.unexpectedRequest, reason: reason)) }
        return HeadResponder { _ in .error(404, reason) }
    }

    /// Responds to a request with the status of its refusal, and closes the connection.
    func refuse(_ refusal: Refusal) {
        if self.exchange?.isResponseStarted != true {
            let body = refusal.text.isEmpty ? "" : refusal.text + "\n"
            let type = body.isEmpty ? "" : "Content-Type: text/plain; charset=utf-8\r\n"
            let response =
                "HTTP/1.1 \(refusal.status)\r\nConnection: close\r\n\(type)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
            self.lastWrite = self.context?.writeAndFlush(NIOAny(ByteBuffer(string: response)))
        }
        self.end(.close)
    }
}
