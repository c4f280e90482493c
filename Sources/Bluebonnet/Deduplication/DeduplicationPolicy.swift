// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// Which requests under way share one exchange.
///
/// Requests are shared if nothing on the wire tells them apart: the method is GET or HEAD, URL and header fields are the same byte by byte
/// (credentials, cookies and whatever `Vary` could name among them), there is no body, the options are the same, and neither request has
/// ``TransportOptions`` of its own. They are compared below all interceptors, after credentials, cookies and the session's fields have
/// been added.
///
/// Each call keeps its own cancellation and deadline. The exchange goes on as long as one of its calls waits for it, and is cancelled when the
/// last one leaves. All calls get the same response; each decodes it by itself. A call that joins has the event
/// ``SessionEvent/exchangeShared(with:)`` in place of ``SessionEvent/exchangeStarted(_:)``.
///
/// Only calls that want the whole response are shared: not streams, downloads, tasks, nor calls with a progress function. An error status with
/// more than 64 KiB goes to one of the calls; the others send their requests by themselves.
///
/// ```swift
/// configuration.deduplication = .identical
/// ```
public struct DeduplicationPolicy: Sendable, Hashable {
    /// Header fields that may differ: those of trace contexts unless changed (`traceparent`, `tracestate`, `baggage`, `b3`).
    ///
    /// The exchange carries those of the call that began it. Never name a field here that a server's answer depends on.
    public var ignoredFields: Set<HTTPField.Name> = Self.traceFields

    /// Whether anything is shared.
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
