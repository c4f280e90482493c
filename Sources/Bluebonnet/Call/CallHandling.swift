// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport

/// The caller's settings besides the request: how the response is delivered, and what observes the call.
struct CallHandling: Sendable {
    /// How the response's body is delivered.
    var responseMode = TransportRequest.ResponseMode.streamed

    /// The limit of a response that is collected by the session, because one that the transport collects cannot be paced
    /// by the session's rate; nil for any other.
    ///
    /// A request may demand the same of its exchange, see ``Request/arrivesInPieces``.
    var pacedByteCount: Int?

    /// The limit of a response that arrives whole for the caller; nil for a stream.
    var collectedByteCount: Int? {
        if case .collected(let limit) = self.responseMode { limit } else { self.pacedByteCount }
    }

    /// Whether compressed content is requested, and decoded, whatever request and session say; nil for their settings.
    var decodesContent: Bool?

    /// The session's setting.
    var decodesContentByDefault = true

    /// Whether the content of the response to a request is requested compressed, and decoded.
    ///
    /// - Parameter request: The request as a stage has it: an interceptor may have set the option.
    /// - Returns: Whether it is decoded.
    func decodesContent(of request: Request) -> Bool {
        self.decodesContent ?? request.options.decodesContent ?? self.decodesContentByDefault
    }

    /// The bytes that are collected of a response that a stage may act on before its body is wanted; nil until the call is made.
    ///
    /// Set for every call, because the stage of authentication is in every session.
    var heldByteCount: Int?

    /// What decodes the body of a response that is refused; nil for the defaults of a decoder.
    var decoder: ResponseDecoder?

    /// Counts the bytes of both directions.
    var monitor: TransferMonitor?

    /// Holds the response's body back while a task is suspended.
    var gate: SuspensionGate?

    /// Whether the call belongs to an operation that holds the session: it is admitted even when new calls are not.
    var isUnderWay = false

    /// Records what the call's task reports about itself.
    var record: TaskRecord?
}
