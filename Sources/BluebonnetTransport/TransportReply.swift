// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A reply as the transport hands it over: the head, and the body whole or as it arrives.
public struct TransportReply: Sendable {
    /// The status.
    public var status: HTTPResponse.Status

    /// The header fields, in the order they came.
    public var headers: HTTPFields

    /// The body.
    public var body: ReplyBody

    /// When each phase happened and how many bytes went over the wire so far.
    public var metrics: ExchangeMetrics

    /// Creates a reply.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - headers: The header fields.
    ///   - body: The body.
    ///   - metrics: The measurements.
    public init(
        status: HTTPResponse.Status,
        headers: HTTPFields = HTTPFields(),
        body: ReplyBody = .empty,
        metrics: ExchangeMetrics = ExchangeMetrics()
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.metrics = metrics
    }
}
