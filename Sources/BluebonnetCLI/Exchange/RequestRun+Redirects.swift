// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetFiles
import HTTPTypes

extension RequestRun {
    /// Returns the failure of a redirect to a protocol that is not spoken here; nil for any other response, and where
    /// such a redirect is printed.
    func foreignRedirect(_ response: borrowing StreamedResponse) -> CommandFailure? {
        guard self.plan.failsAtForeignRedirect, [301, 302, 303, 307, 308].contains(response.status.code),
            let (scheme, _) = response.headers[.location]?.split(atScalar: ":"), Self.isScheme(scheme),
            !scheme.isASCIIWord("http"), !scheme.isASCIIWord("https")
        else { return nil }
        return CommandFailure(
            .transport,
            "the redirect leads to a URL of “\(scheme)”, and only http and https are followed"
        )
    }

    /// Whether a text is the scheme of a URL (RFC 3986 section 3.1).
    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, first.isASCIILetter else { return false }
        return text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "+-.".utf8.contains($0) }
    }
}
