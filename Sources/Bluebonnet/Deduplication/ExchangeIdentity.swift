// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import HTTPTypes

/// Everything by which one exchange can differ from another of the same session.
struct ExchangeIdentity: Hashable {
    private let method: HTTPRequest.Method
    private let url: [UInt8]
    private let fields: [UInt8]
    private let options: RequestOptions
    private let decodesContent: Bool
    private let limit: Int

    /// Creates the identity of an exchange; nil if it cannot be shared.
    ///
    /// - Parameters:
    ///   - request: The request as it is sent.
    ///   - handling: What its call wants besides.
    ///   - ignored: Header fields that may differ.
    init?(_ request: Request, _ handling: CallHandling, ignoring ignored: Set<HTTPField.Name>) {
        guard request.method == .get || request.method == .head, case .none = request.body,
            case .collected(let limit) = handling.responseMode, request.context[TransportOptions.self] == nil
        else { return nil }
        self.method = request.method
        self.url = Array(request.url.absoluteString.utf8)
        self.fields = Self.bytes(of: request.headers, ignoring: ignored)
        self.options = request.options.withoutDeadline
        self.decodesContent = handling.decodesContent ?? true
        self.limit = limit
    }

    /// The fields in their order, one a line; neither names nor values hold line breaks.
    private static func bytes(of headers: HTTPFields, ignoring ignored: Set<HTTPField.Name>) -> [UInt8] {
        var bytes: [UInt8] = []
        for field in headers where !ignored.contains(field.name) {
            bytes.append(contentsOf: field.name.canonicalName.utf8)
            bytes.append(UInt8(ascii: ":"))
            bytes.append(contentsOf: field.value.utf8)
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }
}

extension RequestOptions {
    /// The options without the total limit, which each call keeps by itself.
    fileprivate var withoutDeadline: RequestOptions {
        var options = self
        options.totalTimeout = nil
        return options
    }
}
