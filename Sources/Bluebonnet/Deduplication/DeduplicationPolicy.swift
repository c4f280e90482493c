// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// Which concurrent requests share one exchange.
///
/// Requests share an exchange if they are identical on the wire: the method is GET or HEAD, URL and header fields are
/// the same byte by byte (including credentials, cookies and all that `Vary` could name), there is no body, the options
/// and the rate are the same, and neither request has its own ``TransportOptions``. They are compared below all interceptors, after
/// credentials, cookies and the session's fields have been added.
///
/// Each call keeps its own cancellation and deadline. The exchange continues as long as one of its calls waits for it,
/// and is cancelled when the last one leaves. All calls get the same response, and each decodes it separately. A call
/// that joins has the event ``CallEvent/exchangeShared(with:)`` in place of ``CallEvent/exchangeStarted(_:)``.
///
/// Only calls that collect the whole response are shared: not streams, downloads, tasks, nor calls with a progress
/// function. An error response with more than 64 KiB goes to one of the calls; the others send their own requests. The
/// same applies under a download rate to an error response of unknown length, and to a redirect with a body.
///
/// ```swift
/// configuration.deduplication = .identical
/// ```
public struct DeduplicationPolicy: Sendable, Hashable {
    /// Header fields that may differ: those of trace contexts unless changed (`traceparent`, `tracestate`, `baggage`, `b3`).
    ///
    /// The exchange carries those of the call that began it. Never name a field here that a response depends on.
    public var ignoredFields: Set<HTTPField.Name> = Self.traceFields

    /// Whether exchanges are shared at all.
    let isActive: Bool

    private init(isActive: Bool) {
        self.isActive = isActive
    }

    /// Shares nothing.
    public static let none = DeduplicationPolicy(isActive: false)

    /// Shares the exchange of identical requests.
    public static let identical = DeduplicationPolicy(isActive: true)

    private static let traceFields = Set(
        ["traceparent", "tracestate", "baggage", "b3"].compactMap { HTTPField.Name($0) }
    )
}
