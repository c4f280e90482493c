// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// A phase of an exchange.
///
/// The same names are used for the limits in ``Timeouts``, the phase of a failure in ``TransportError/phase`` and the
/// durations of ``ExchangeMetrics/duration(of:)``. The phases follow one another in the order of the cases; ``total``
/// covers them all.
public enum ExchangePhase: String, Sendable, Hashable, CaseIterable {
    /// Waiting for a connection while all are busy.
    case queue
    /// Looking up the addresses of a host.
    case resolve
    /// Connecting to one of the addresses (TCP), and opening a tunnel through a proxy.
    case connect
    /// The TLS handshake.
    case tlsHandshake
    /// Sending the head and the body of the request.
    case requestBody
    /// From the last byte of the request to the end of the head of the final response.
    case responseHead
    /// Receiving the body of the response.
    case responseBody
    /// The whole exchange.
    case total
}
