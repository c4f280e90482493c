// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport

/// What goes down the pipeline beside the request, and that interceptors do not touch.
struct ExchangeContext: Sendable {
    /// How the response's body is wanted.
    var responseMode: TransportRequest.ResponseMode

    /// Who watches the bytes go by, if anyone does.
    var monitor: TransferMonitor?

    /// What holds the response's body back while a task is suspended.
    var gate: SuspensionGate?

    /// Whether the response is asked for compressed, and decoded.
    var decodesContent: Bool

    /// When the whole call must be over; each exchange is given what is left.
    var deadline: ContinuousClock.Instant?
}
