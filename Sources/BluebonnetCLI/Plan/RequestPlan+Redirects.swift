// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import HTTPTypes

/// Redirects that were to be followed, and are delivered because they cannot be.
extension RequestPlan {
    /// The statuses of the redirects that are followed.
    static let redirectStatuses: Set<Int> = [301, 302, 303, 307, 308]

    /// Determines why a redirect was not followed.
    ///
    /// A redirect without a Location, or with an empty one, leads nowhere: it is a response like any other.
    ///
    /// - Parameters:
    ///   - status: The status of the response.
    ///   - headers: Its header fields.
    /// - Returns: The failure; nil for any other response, and if redirects are not to be followed.
    func failureOfRedirect(_ status: HTTPResponse.Status, _ headers: HTTPFields) -> CommandFailure? {
        let locations = headers[values: .location]
        guard self.followsRedirects, Self.redirectStatuses.contains(status.code),
            let location = locations.first(where: { !$0.isEmpty })
        else { return nil }
        return CommandFailure(.transport, "the redirect \(self.obstacle(to: location, locations, headers))")
    }

    /// What prevented a redirect from being followed; a Location is not shown, because it may hold secrets.
    private func obstacle(to location: String, _ locations: [String], _ headers: HTTPFields) -> String {
        if let (scheme, _) = location.split(atScalar: ":"), Self.isScheme(scheme),
            !scheme.isASCIIWord("http"), !scheme.isASCIIWord("https")
        {
            return "leads to a URL of “\(scheme)”, and only http and https are followed"
        }
        if locations.contains(where: { !$0.utf8.elementsEqual(location.utf8) }) {
            return "has several Location fields, and cannot be followed"
        }
        if !self.isOfCurl, headers.contains(.retryAfter) {
            return "was not followed: its Retry-After is longer than what is waited for"
        }
        return "cannot be followed: its Location is not a valid URL"
    }

    /// Whether a text is the scheme of a URL (RFC 3986 section 3.1).
    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, first.isASCIILetter else { return false }
        return text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "+-.".utf8.contains($0) }
    }
}
