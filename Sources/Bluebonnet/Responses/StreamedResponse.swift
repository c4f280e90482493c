// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import BluebonnetTransport
public import FoundationEssentials
public import HTTPTypes
public import NIOCore

/// A response whose head has arrived and whose body can be read as it arrives.
///
/// It is not validated: an error status is a response like any other. Dropping it before its body has been read to the end closes the
/// connection, or on HTTP/2 resets the stream.
///
/// ```swift
/// let response = try await session.send(Request(url: url))
/// for try await buffer in response.body {
///     count += buffer.readableBytes
/// }
/// ```
public struct StreamedResponse: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status, for example 200 OK.
    public var status: HTTPResponse.Status

    /// The header fields, in the order in which they were received.
    public var headers: HTTPFields

    /// The body, for one consumer.
    ///
    /// Each byte that ``Session/send(_:monitor:)`` delivers is returned once: a second iterator continues where the first
    /// one is, however the body has arrived. To an interceptor it may be collected, see `ResponseBody.collectedBytes`.
    /// Reading it throws ``SessionError``, or `CancellationError` when the reading task is cancelled.
    public var body: ResponseBody

    /// The values that few stages change, in one box, so that each stage copies only a reference.
    private var source: ExchangeSource

    /// The request that was answered, as it was sent.
    public var request: Request {
        get { self.source.request }
        set { self.source.facts.sent = SentRequest(newValue) }
    }

    /// The metrics of the exchange, up to the moment when the head had arrived.
    ///
    /// Those of the whole exchange are in `ResponseBody.metrics`, once the body has been read to its end.
    public var metrics: ExchangeMetrics {
        get { self.source.facts.metrics }
        set { self.source.facts.metrics = newValue }
    }

    /// The responses that redirected the request, in their order and without their bodies; empty if it was not redirected.
    public var history: [Response] {
        get { self.source.facts.history }
        set { self.source.facts.history = newValue }
    }

    /// The attempts before the one with this response, in their order; empty if the request was not retried.
    public internal(set) var failedAttempts: [FailedAttempt] {
        get { self.source.facts.failedAttempts }
        set { self.source.facts.failedAttempts = newValue }
    }

    /// What the session's cache did with the request; nil if it has none.
    public var cacheStatus: CacheStatus? {
        get { self.source.facts.cacheStatus }
        set { self.source.facts.cacheStatus = newValue }
    }

    /// The connection, after 101 Switching Protocols to a request with ``TransportOptions/allowsUpgrade``; nil otherwise.
    ///
    /// Whoever reads this property owns the connection; a response that is dropped before closes it. See
    /// `TransportResponse.upgradedChannel` for what its owner has to do.
    public var upgradedChannel: (any Channel)? { self.source.facts.upgrade?.take() }

    /// Whether the response comes with an upgraded connection, which stays the response's.
    var isUpgraded: Bool { self.source.facts.upgrade != nil }

    /// The answer to a proxy that has refused the request with 407; nil if there is none.
    var proxyAnswer: ProxyAnswer? { self.source.facts.proxyAnswer }

    /// Decodes the documents of the body, unless a function is given another decoder; nil for one with its defaults.
    var decoder: ResponseDecoder? {
        get { self.source.facts.decoder }
        set { self.source.facts.decoder = newValue }
    }

    /// The limits of a reader of lines, documents or events that has none of its own.
    var streamLimits = StreamLimits()

    /// The largest body that is collected without a limit of its own, in bytes; nil for that of ``Session/Limits``.
    var bodyLimit: Int?

    /// The transport's body, whose time the transport limits; nil for one that arrived whole.
    var transportBodyID: ObjectIdentifier? { self.source.facts.transportBodyID }

    /// Whether the body is the transport's, or one of the library's own that waits for nothing but that and a rate.
    var isBodyOfServer: Bool {
        let id = self.body.sourceID
        return id == self.transportBodyID || id == self.source.facts.wrappingBodyID
    }

    /// Creates a response, for an interceptor that answers by itself.
    ///
    /// ```swift
    /// let response = StreamedResponse(to: request, status: .ok, body: ResponseBody("maintenance".utf8))
    /// ```
    ///
    /// - Parameters:
    ///   - request: The request that is answered.
    ///   - status: The status.
    ///   - headers: The header fields.
    ///   - body: The body.
    ///   - metrics: The metrics of the exchange.
    public init(
        to request: Request,
        status: HTTPResponse.Status,
        headers: HTTPFields = HTTPFields(),
        body: ResponseBody = .empty,
        metrics: ExchangeMetrics = ExchangeMetrics()
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.source = ExchangeSource(ExchangeFacts(sent: SentRequest(request), metrics: metrics))
    }

    init(_ response: consuming TransportResponse, to sent: consuming SentRequest) {
        self.status = response.status
        self.headers = response.headers
        self.body = response.body
        self.source = ExchangeSource(
            ExchangeFacts(
                sent: sent,
                metrics: response.metrics,
                upgrade: response.upgrade,
                proxyAnswer: response.proxyAnswer,
                transportBodyID: response.body.sourceID
            )
        )
    }

    /// Replaces the body with one of the library's own that reads it.
    ///
    /// - Parameters:
    ///   - body: The new body.
    ///   - isOfServer: Whether only the server and a rate can delay it, which the error about a deadline says.
    mutating func replaceBody(with body: ResponseBody, isOfServer: Bool) {
        self.body = body
        if isOfServer, let id = body.sourceID { self.source.facts.wrappingBodyID = id }
    }

    /// The URL that answered.
    public var url: URL { self.source.facts.sent.base.url }

    /// The method of the request that was answered.
    public var method: HTTPRequest.Method { self.source.facts.sent.base.method }

    /// Waits for the whole body.
    ///
    /// - Parameter limit: The largest number of bytes to accept; nil for ``Session/Limits/responseByteCount`` of the
    ///   session, or for 64 MiB if the response is not one that a session has returned, as inside an interceptor.
    /// - Returns: The response with its body.
    /// - Throws: ``SessionError`` with ``SessionError/Code/responseTooLarge`` when there are more bytes, or what reading the body throws;
    ///   `CancellationError` when the task is cancelled.
    public func response(upTo limit: Int? = nil) async throws -> Response {
        let limit = limit ?? self.bodyLimit ?? Session.Limits().responseByteCount
        if let whole = self.arrived(upTo: limit) { return whole }
        do {
            let body = Data(try await self.body.collect(upTo: limit))
            return self.response(body: body)
        } catch {
            throw self.bodyFailure(error)
        }
    }

    /// The response with its body, if all of that has arrived: no iteration, one copy.
    func arrived(upTo limit: Int) -> Response? {
        guard let bytes = self.body.collectedBytes, bytes.readableBytes <= limit else { return nil }
        return self.response(body: Data(bytes))
    }

    /// The response with a complete body.
    func response(body: Data) -> Response {
        var source = self.source
        if let metrics = self.body.metrics { source.facts.metrics = metrics }
        // A collected response has no way to its connection.
        if source.facts.upgrade != nil { source.facts.upgrade = nil }
        return Response(status: self.status, headers: self.headers, body: body, from: source)
    }
}

extension Data {
    /// Copies the readable bytes, in one piece.
    ///
    /// NIOFoundationCompat could avoid the copy, but it links all of Foundation.
    init(_ buffer: ByteBuffer) {
        self = buffer.withUnsafeReadableBytes { Data($0) }
    }
}
