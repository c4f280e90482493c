// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

public import BluebonnetSerialization
import FoundationEssentials

/// An event that a server has sent (WHATWG HTML section 9.2, server-sent events).
public struct ServerSentEvent: Sendable, Hashable {
    /// The type of an event without a type of its own: `message`.
    public static let defaultType = "message"

    /// The type of the event: the field `event`, or ``defaultType``.
    public var type: String

    /// The fields `data`, joined with LF; may be empty.
    public var data: String

    /// The last `id` that the server has set, with this event or an earlier one; empty if there is none.
    ///
    /// A client sends it as `Last-Event-ID` to continue after this event.
    public var lastEventID: String

    /// Decodes the data unless a function is given another decoder; nil for one with its defaults.
    var decoder: ResponseDecoder?

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - type: The type of the event.
    ///   - data: The data.
    ///   - lastEventID: The last `id` that the server has set.
    public init(type: String = Self.defaultType, data: String, lastEventID: String = "") {
        self.type = type
        self.data = data
        self.lastEventID = lastEventID
    }

    /// Decodes the data as JSON.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - decoder: The decoder; nil, the default, for that of the ``HTTPSession`` that reads the events, and for one with its defaults
    ///     elsewhere.
    ///   - limits: The limits of the document.
    /// - Returns: The value.
    /// - Throws: ``SessionError/Code/serializationFailed`` if the data cannot be decoded.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self,
        decoder: (any DataDecoder)? = nil,
        limits: ParsingLimits = ParsingLimits()
    ) throws(SessionError) -> Value {
        do {
            let decoder = decoder ?? self.decoder ?? ResponseDecoder()
            return try Response(status: .ok, body: Data(self.data.utf8)).decoded(type, with: decoder, limits: limits)
        } catch {
            throw SessionError(error, request: nil, isRequestSent: true)
        }
    }

    public static func == (first: Self, second: Self) -> Bool {
        (first.type, first.data, first.lastEventID) == (second.type, second.data, second.lastEventID)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.type)
        hasher.combine(self.data)
        hasher.combine(self.lastEventID)
    }
}
