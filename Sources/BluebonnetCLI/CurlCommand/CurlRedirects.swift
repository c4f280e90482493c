// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import FoundationEssentials
import HTTPTypes

/// How a command of curl follows redirects.
struct CurlRedirects: Sendable {
    /// The largest number of redirects; `Int.max` for `--max-redirs -1`, nil unless it is given.
    var maximumCount: Int?

    /// Whether a redirect with 301 or 302 keeps POST and the body.
    var keepsPost = false

    /// Whether a request after a redirect has the URL of the one before as its Referer: `--referer` with “;auto”.
    var namesReferringURL = false

    /// Reads the value of `--max-redirs`.
    ///
    /// - Throws: `CommandFailure` if it is neither a number from 0 nor -1.
    mutating func limit(to value: String) throws(CommandFailure) {
        guard let count = Int(value), count >= -1 else {
            throw .usage("curl's --max-redirs takes a number of redirects, or -1 for any number")
        }
        self.maximumCount = count == -1 ? .max : count
    }

    /// Changes a plan that follows redirects.
    ///
    /// - Parameters:
    ///   - plan: The plan.
    ///   - method: The method of `--request`, which every request has; nil if there is none.
    ///   - isUpload: Whether the body is that of `--upload-file`.
    ///   - protocols: The protocols that are allowed.
    func apply(
        to plan: inout RequestPlan,
        method: HTTPRequest.Method?,
        isUpload: Bool,
        _ protocols: CurlProtocols
    ) {
        guard plan.followsRedirects else { return }
        let maximum = self.maximumCount ?? plan.redirects.maximumCount
        // Without --request an upload is PUT, which keeps its body, and any other body that of POST.
        let keepsBody = self.keepsPost || isUpload
        plan.redirects = RedirectPolicy { [namesReferringURL = self.namesReferringURL] redirect in
            guard protocols.allows(redirect) else {
                throw CommandFailure.usage(
                    "the redirect leads to a protocol that curl's --proto or --proto-redir forbids"
                )
            }
            var request = redirect.proposedRequest
            if let method {
                request.method = method
                switch redirect.response.status.code {
                case 303: request.dropBody()
                case 301, 302: if !keepsBody { request.dropBody() }
                default: break
                }
            }
            if namesReferringURL { request.headers[.referer] = Self.referer(redirect.request.url) }
            return request
        }
        plan.redirects.maximumCount = maximum
        // curl reads Retry-After for --retry only.
        plan.redirects.retryAfterLimit = nil
        plan.redirects.keepsPost = keepsBody
    }

    /// A URL as the value of Referer: without user information and fragment (RFC 9110, 10.1.3).
    private static func referer(_ url: URL) -> String? {
        guard var components = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return nil }
        (components.user, components.password, components.fragment) = (nil, nil, nil)
        return components.string
    }
}
