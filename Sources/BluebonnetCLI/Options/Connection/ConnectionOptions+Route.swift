// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTransport

extension ConnectionOptions {
    /// Returns the proxy of the options, or else that of the environment.
    ///
    /// - Parameter environment: The environment variables of the process.
    /// - Returns: The proxy configuration.
    /// - Throws: `CommandFailure` if a URL or a list is invalid.
    func proxyConfiguration(environment: [String: String]) throws(CommandFailure) -> ProxyConfiguration {
        guard let proxy else {
            var environment = environment
            if let noproxy {
                _ = try Self.bypass(noproxy)
                // An empty list is ignored: it excludes no host.
                environment["no_proxy"] = noproxy
                environment["NO_PROXY"] = noproxy
            }
            return .environment(environment)
        }
        if proxy.isEmpty { return .direct }
        do throws(TransportError) {
            return .fixed(try Proxy(proxy), bypass: try ProxyBypass(self.noproxy ?? ""))
        } catch {
            throw .usage(error.reason)
        }
    }

    /// Returns the policy for redirects.
    ///
    /// - Parameter showsAll: Whether the redirected exchanges are printed, which requires that redirects are followed.
    /// - Returns: The policy.
    /// - Throws: `CommandFailure` if options contradict each other.
    func redirectPolicy(showsAll: Bool) throws(CommandFailure) -> RedirectPolicy {
        guard self.follow else {
            if self.maxRedirects != nil { throw .usage("--max-redirects belongs to --follow: add --follow") }
            if showsAll { throw .usage("--all belongs to --follow: add --follow") }
            return .none
        }
        let count = self.maxRedirects ?? RedirectPolicy.follow().maximumCount
        guard count > 0 else {
            throw .usage("--max-redirects takes a number of at least 1; leave out --follow for none")
        }
        return .follow(maximum: count)
    }

    private static func bypass(_ list: String) throws(CommandFailure) -> ProxyBypass {
        do throws(TransportError) {
            return try ProxyBypass(list)
        } catch {
            throw .usage(error.reason)
        }
    }
}
