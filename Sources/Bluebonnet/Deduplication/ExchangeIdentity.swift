// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes

/// Everything in which two exchanges of a session can differ.
struct ExchangeIdentity: Hashable {
    private let method: HTTPRequest.Method
    /// The URL and the header fields, one per line: none of them contains line breaks.
    private let bytes: [UInt8]
    /// The hash of the bytes, computed once because an exchange is looked up several times.
    private let hash: Int
    private let options: RequestOptions
    /// Decides whether the session's client certificate and trailer fields are sent; nil for that of the session.
    private let home: Origin?
    /// Decides the same about a request that has been redirected back.
    private let leftOrigins: LeftOrigins?
    private let decodesContent: Bool
    private let limit: Int
    /// The request's own rate, which the exchange keeps.
    private let rateLimit: ObjectIdentifier?

    /// Creates the identity of an exchange; nil if it cannot be shared.
    ///
    /// - Parameters:
    ///   - request: The request as it is sent.
    ///   - handling: The settings of its call.
    ///   - ignored: Header fields that may differ.
    init?(_ request: Request, _ handling: CallHandling, ignoring ignored: Set<HTTPField.Name>) {
        guard Self.isShared(request.method), case .none = request.body,
            let limit = handling.collectedByteCount, request.context[TransportOptions.self] == nil
        else { return nil }
        self.method = request.method
        self.bytes = Self.bytes(of: request, ignoring: ignored)
        var hasher = Hasher()
        self.bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        self.hash = hasher.finalize()
        self.options = request.options.withoutDeadline
        self.home = request.context.isEmpty ? nil : request.context[HomeOrigin.self]?.origin
        self.leftOrigins = request.context.isEmpty ? nil : request.context[LeftOrigins.self]
        self.decodesContent = handling.decodesContent(of: request)
        self.limit = limit
        self.rateLimit = request.context.isEmpty ? nil : request.rateLimit.map { ObjectIdentifier($0) }
    }

    func hash(into hasher: inout Hasher) { hasher.combine(self.hash) }

    /// Whether requests with a method may share an exchange.
    static func isShared(_ method: HTTPRequest.Method) -> Bool { method == .get || method == .head }

    private static func bytes(of request: Request, ignoring ignored: Set<HTTPField.Name>) -> [UInt8] {
        let url = request.url.absoluteString
        var bytes = [UInt8]()
        // The fields of most requests fit, so that the array does not grow.
        bytes.reserveCapacity(url.utf8.count + 64 * request.headers.count + 64)
        bytes.append(contentsOf: url.utf8)
        bytes.append(UInt8(ascii: "\n"))
        for field in request.headers where !ignored.contains(field.name) {
            bytes.append(contentsOf: field.name.canonicalName.utf8)
            bytes.append(UInt8(ascii: ":"))
            // The bytes, not the text: all bytes that are not UTF-8 would become the same character.
            field.withUnsafeBytesOfValue { bytes.append(contentsOf: $0) }
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }
}

extension RequestOptions {
    /// The options without the total limit, which each call enforces by itself.
    fileprivate var withoutDeadline: RequestOptions {
        var options = self
        options.totalTimeout = nil
        return options
    }
}
