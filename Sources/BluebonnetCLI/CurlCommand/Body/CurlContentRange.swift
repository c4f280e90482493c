// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import HTTPTypes

/// What `--range` says beside a body: which part of a whole the body is.
struct CurlContentRange: Sendable {
    /// The range, without its unit.
    let text: String

    /// Adds the field to a request with a body that is not encoded for the connection yet.
    ///
    /// As in curl, the length of the body stands for that of the whole.
    ///
    /// - Throws: `CommandFailure` for a range that no field can hold.
    func apply(to request: inout Request) throws(CommandFailure) {
        // RFC 9110 section 14.4: an asterisk stands for a length that is not known.
        let length = request.body.contentLength.map { String($0) } ?? "*"
        let value = "bytes \(self.text)/\(length)"
        guard HTTPField.isValidValue(value) else {
            throw .usage("curl's --range takes a range of bytes, for example 0-99")
        }
        request.headers[.contentRange] = value
    }
}
