// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
public import BluebonnetTransport
import FoundationEssentials
import HTTPTypes

extension Response {
    /// The metrics of the exchange: when each phase happened, and how many bytes were sent and received.
    ///
    /// Nil for a response that did not come from a session.
    public var metrics: ExchangeMetrics? { self.facts?.metrics }

    /// The responses that redirected the request, in their order and without their bodies; empty if it was not redirected.
    public var history: [Response] { self.facts?.history ?? [] }

    /// The attempts before the one with this response, in their order; empty if the request was not retried.
    public var failedAttempts: [FailedAttempt] { self.facts?.failedAttempts ?? [] }

    /// What the session's cache did with the request; nil if it has none.
    public var cacheStatus: CacheStatus? { self.facts?.cacheStatus }

    /// Decodes the body, for a call that needs header fields as well.
    ///
    /// Neither the status nor the content type is checked: the methods of ``HTTPSession`` have done that, and
    /// ``Session/response(for:monitor:)`` has not.
    ///
    /// ```swift
    /// let response = try await api.get("users", parameters: ["page": page])
    /// let users = try response.decode([User].self)
    /// let tag = response.headers[.eTag]
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - decoder: The decoder; nil, the default, for that of the ``HTTPSession`` that made the call, and for one with its defaults elsewhere.
    /// - Returns: The value.
    /// - Throws: ``SessionError/Code/serializationFailed`` if the body cannot be decoded.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self,
        decoder: (any DataDecoder)? = nil
    ) throws(SessionError) -> Value {
        do {
            return try self.decoded(type, with: decoder ?? self.facts?.decoder ?? ResponseDecoder())
        } catch {
            throw SessionError(error, request: self.request, isRequestSent: true)
        }
    }

    /// Decodes the body to text.
    ///
    /// Neither the status nor the content type is checked, as in ``decode(_:decoder:)``. Invalid bytes are an error and
    /// never replaced; an empty body is the empty string.
    ///
    /// - Parameter charset: The charset, regardless of the response; nil, the default, for that of the response, which is UTF-8 if it names none.
    /// - Returns: The text.
    /// - Throws: ``SessionError/Code/serializationFailed`` if the body is not text in that charset, or the response names one that is not known.
    public func text(in charset: Charset? = nil) throws(SessionError) -> String {
        do {
            return try self.text(in: charset, fallback: .utf8)
        } catch {
            throw SessionError(error, request: self.request, isRequestSent: true)
        }
    }

    private var facts: ExchangeFacts? { (self.source as? ExchangeSource)?.facts }
}

/// The properties of the exchange that a response belongs to.
struct ExchangeFacts {
    var sent: SentRequest
    var metrics: ExchangeMetrics
    var history: [Response] = []
    var failedAttempts: [FailedAttempt] = []
    var cacheStatus: CacheStatus?
    /// Decodes the documents of the body, unless a function is given another decoder; nil for one with its defaults.
    var decoder: ResponseDecoder?
    /// The connection after its upgrade, which closes with the last copy of these facts unless a caller takes it.
    var upgrade: UpgradedConnection?
    /// The answer to the proxy that refused the request.
    var proxyAnswer: ProxyAnswer?
    /// The transport's body, whose time the transport limits; nil for one that arrived whole, or was made by an
    /// interceptor.
    var transportBodyID: ObjectIdentifier?
    /// A body of the library's own that reads the transport's; nil if there is none.
    var wrappingBodyID: ObjectIdentifier?
}

/// The facts of an exchange, shared by the streamed response and the collected one.
struct ExchangeSource: ResponseSource {
    /// An array with one element: a box that is copied on write, so that a copy of a response costs one reference, and
    /// the only holder changes the facts in place.
    private var box: [ExchangeFacts]

    init(_ facts: ExchangeFacts) {
        self.box = [facts]
    }

    var facts: ExchangeFacts {
        _read { yield self.box[0] }
        _modify { yield &self.box[0] }
    }

    var request: Request { self.facts.sent.request }
}
