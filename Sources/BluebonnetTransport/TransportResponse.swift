// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import NIOCore

/// A response as the transport hands it over: the head, and the body whole or as it arrives.
public struct TransportResponse: Sendable {
    /// The status.
    public var status: HTTPResponse.Status

    /// The header fields, in the order they came.
    public var headers: HTTPFields

    /// The body.
    public var body: ResponseBody

    /// When each phase happened and how many bytes went over the wire so far.
    public var metrics: ExchangeMetrics

    /// The connection, when the peer has switched to the protocol that was asked for (status 101); nil otherwise.
    ///
    /// It belongs to the caller now, who has to close it. TLS, where there is any, is still in its pipeline; HTTP is not. It does not
    /// read by itself: add handlers, set the option `autoRead` if they want it, then call `read()`. Bytes that came behind the
    /// response's head are delivered first.
    public var upgradedChannel: (any Channel)?

    /// How the proxy that has refused the request with 407 (Proxy Authentication Required) can be answered; nil for all other responses,
    /// and where there is no answer.
    ///
    /// The same request with this in ``TransportRequest/proxyAnswer`` is sent again with credentials. Tunnels are not concerned: the
    /// transport answers a challenge to CONNECT itself.
    public var proxyAnswer: ProxyAnswer?

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - headers: The header fields.
    ///   - body: The body.
    ///   - metrics: The measurements.
    public init(
        status: HTTPResponse.Status,
        headers: HTTPFields = HTTPFields(),
        body: ResponseBody = .empty,
        metrics: ExchangeMetrics = ExchangeMetrics()
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.metrics = metrics
    }
}
