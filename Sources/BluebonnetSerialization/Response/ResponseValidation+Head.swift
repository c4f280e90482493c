// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import HTTPTypes

extension ResponseValidation {
    /// Refuses a response with an unacceptable head, before its body has arrived.
    ///
    /// - Parameters:
    ///   - response: The status and the header fields; its body is ignored.
    ///   - isFixed: Whether the caller cannot change this rule, so that the error advises no change of it.
    /// - Throws: The error that ``validate(_:)`` throws for the same head with a body, with the given response.
    package func validate(head response: Response, isFixed: Bool = false) throws(SerializationError) {
        var whole = response
        // A response without a body is never refused because of its type.
        if !Self.hasNoBody(response) { whole.body = Data([0]) }
        do {
            try self.validate(whole, advice: isFixed ? .none : .changeRule)
        } catch {
            throw error.about(response)
        }
    }

    /// Whether the head says that no body follows (RFC 9110 section 6.4.1).
    private static func hasNoBody(_ response: Response) -> Bool {
        response.method == .head || [204, 205, 304].contains(response.status.code)
            || response.headers[.contentLength] == "0"
    }
}
