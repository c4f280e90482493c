// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport

/// What a caller wants besides the request: how the response is handed over, and who follows the call.
struct CallHandling: Sendable {
    /// How the response's body is wanted.
    var responseMode = TransportRequest.ResponseMode.streamed

    /// Whether the response is asked for compressed, and decoded; nil, until the call is made, for what request and session say.
    var decodesContent: Bool?

    /// The bytes that are collected of a response that a stage may act on before its body is wanted; nil until the call is made.
    ///
    /// Set for every call, because the stage of authentication is in every session.
    var heldByteCount: Int?

    /// How much a server may make the stages hold, read or repeat.
    var limits = Session.Limits()

    /// What decodes the body of a response that is refused; nil for the defaults of a decoder.
    var decoder: ResponseDecoder?

    /// Counts the bytes of both directions.
    var monitor: TransferMonitor?

    /// Holds the response's body back while a task is suspended.
    var gate: SuspensionGate?

    /// Whether the call belongs to something that holds the session: it is let in also when new calls are not.
    var isUnderWay = false

    /// Keeps what the call's task tells about itself.
    var record: TaskRecord?
}
