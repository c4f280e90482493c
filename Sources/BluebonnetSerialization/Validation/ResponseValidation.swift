// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// Which responses are accepted, by content type and by status.
///
/// The content type is checked first, then the status. If both are refused, the error is about the status and contains
/// the error about the type. A response without a body is never refused because of its type.
public struct ResponseValidation: Sendable, Hashable, Codable {
    /// The status codes that are accepted, nil for all; 200 to 299 unless set.
    public var acceptableStatusCodes: Set<Int>?

    /// The accepted content types; nil for all.
    ///
    /// Parameters and case are ignored. `text/*`, `*/*`, `application/*+json` and `*+json`, which is every type with
    /// this structured suffix (RFC 6839), are supported. `*/*` accepts every response, including those without a
    /// Content-Type or with a malformed one.
    public var acceptableContentTypes: Set<String>?

    /// Creates a rule.
    ///
    /// - Parameters:
    ///   - statusCodes: The status codes that are accepted, nil for all.
    ///   - contentTypes: The content types that are accepted, nil for all.
    public init(statusCodes: Set<Int>? = Set(200..<300), contentTypes: Set<String>? = nil) {
        self.acceptableStatusCodes = statusCodes
        self.acceptableContentTypes = contentTypes
    }

    /// Accepts every response.
    public static let none = Self(statusCodes: nil, contentTypes: nil)

    /// Refuses an unacceptable response.
    ///
    /// - Parameter response: The response.
    /// - Throws: ``SerializationError`` with code `unacceptableContentType` or `unacceptableStatus` and the whole response
    ///   in `response`.
    public func validate(_ response: Response) throws(SerializationError) {
        try self.validate(response, advice: .changeRule)
    }

    /// What the error about a refused response advises.
    enum Advice {
        /// Nothing, because the caller cannot change the rule.
        case none
        /// A change of the rule.
        case changeRule
        /// A change of the rule of the serializer that decodes this type, which a call with `as:` creates itself.
        case decode(any Any.Type)

        /// The advice about a page in place of a document.
        var textOfPage: String {
            if case .none = self { "" } else { "; it may be an error page or a login page" }
        }

        /// Formats an advice to change a property of the rule.
        func text(_ change: String) -> String {
            switch self {
            case .none: ""
            case .changeRule: "; \(change)"
            case .decode(let type): "; \(change) in the validation of serializer: .decodable(\(type).self)"
            }
        }
    }

    /// Refuses an unacceptable response.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - advice: What the error advises.
    /// - Throws: What ``validate(_:)`` throws.
    func validate(_ response: Response, advice: Advice) throws(SerializationError) {
        let typeError = self.contentTypeError(for: response, advice)
        if let statusError = self.statusError(for: response, advice, underlying: typeError) { throw statusError }
        if let typeError { throw typeError }
    }

    private func contentTypeError(for response: Response, _ advice: Advice) -> SerializationError? {
        guard let acceptable = self.acceptableContentTypes, !response.body.isEmpty else { return nil }
        let field = response.headers[.contentType]
        let type = field.flatMap { ContentType($0) }
        if let type, acceptable.contains(type.essence) || acceptable.contains(where: type.matches) { return nil }
        if acceptable.contains(where: { ContentType($0)?.essence == "*/*" }) { return nil }
        let found: String
        let remedy: String
        switch (field, type) {
        case (nil, _):
            found = "has no content type"
            remedy = advice.text("to take responses without one, set acceptableContentTypes to nil")
        case (_, nil):
            found = "has a Content-Type field that cannot be read"
            remedy = advice.text("to take it anyway, set acceptableContentTypes to nil")
        case (_, let type?):
            let name = type.essence.utf8.count <= 100 ? type.essence : "\(type.essence.prefix(100))…"
            found = "is \(name)"
            remedy =
                name == "text/html"
                ? advice.textOfPage : advice.text("to take it, add \"\(name)\" to acceptableContentTypes")
        }
        let list = acceptable.isEmpty ? "nothing" : acceptable.sorted().joined(separator: ", ")
        return SerializationError(
            .unacceptableContentType,
            reason: "the response \(found); accepted: \(list)\(remedy)",
            response: response
        )
    }

    private func statusError(
        for response: Response,
        _ advice: Advice,
        underlying: SerializationError?
    ) -> SerializationError? {
        guard let acceptable = self.acceptableStatusCodes, !acceptable.contains(response.status.code) else {
            return nil
        }
        return SerializationError(
            .unacceptableStatus,
            reason:
                "the response's status is \(StatusPhrase.describe(response.status.code)); accepted: \(Self.describe(acceptable))"
                + advice.text("to take it, add \(response.status.code) to acceptableStatusCodes"),
            underlying: underlying,
            response: response
        )
    }

    /// Formats the codes as ranges, for example `200–299, 404`.
    private static func describe(_ codes: Set<Int>) -> String {
        var ranges: [ClosedRange<Int>] = []
        for code in codes.sorted() {
            if let last = ranges.last, last.upperBound == code - 1 {
                ranges[ranges.count - 1] = last.lowerBound...code
            } else {
                ranges.append(code...code)
            }
        }
        guard !ranges.isEmpty else { return "none" }
        return ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)–\($0.upperBound)" }.joined(
            separator: ", "
        )
    }
}
