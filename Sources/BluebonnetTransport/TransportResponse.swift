// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import NIOCore

/// A response from a transport: the head, and the body collected or streamed.
public struct TransportResponse: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status.
    public var status: HTTPResponse.Status

    /// The header fields in the order received.
    public var headers: HTTPFields

    /// The body.
    public var body: ResponseBody

    /// The timestamps of the phases and the bytes transferred so far.
    public var metrics: ExchangeMetrics

    /// The connection, after it was upgraded to the requested protocol (101 Switching Protocols); nil otherwise.
    ///
    /// Whoever reads this property owns the connection and must close it; a response that is dropped before closes it.
    /// If there is TLS, it is still in the pipeline; HTTP is not. The channel
    /// does not read automatically: add handlers, set the option `autoRead` if they need it, then call `read()`. Bytes
    /// that arrived after the response's head are delivered first.
    ///
    /// The channel stays open until the first `read()`, even if the server ends its side before. From then on it closes
    /// at that end; to keep it open for writing, set the option `allowRemoteHalfClosure` after the first `read()`.
    public var upgradedChannel: (any Channel)? {
        get { self.upgrade?.take() }
        set { self.upgrade = newValue.map { UpgradedConnection($0) } }
    }

    /// The connection after its upgrade; nil for all other responses.
    package private(set) var upgrade: UpgradedConnection?

    /// Whether the request's body can be read only once and is whole, because the response came while it was held back
    /// for 100 (Continue).
    package var leavesBody = false

    /// The answer to a proxy that refused the request with 407 (Proxy Authentication Required); nil for all other
    /// responses, and if there is no answer.
    ///
    /// To send the same request again with credentials, set ``TransportRequest/proxyAnswer`` to this value. Tunnels do
    /// not use it: the transport answers challenges to CONNECT itself.
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
