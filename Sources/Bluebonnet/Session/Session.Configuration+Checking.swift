// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization

extension Session.Configuration {
    /// The error for a configuration with engine settings beside a transport.
    var engineFault: SessionError? {
        guard self.engine != nil else { return nil }
        return SessionError(
            .invalidConfiguration,
            reason:
                "the configuration has settings for an engine, and the session was given a transport that they do not apply to; "
                + "make the engine with them, or leave the transport out"
        )
    }

    /// What the options of a request may ask for.
    var optionRules: OptionRules { OptionRules(hasCache: self.cache != nil, hasCookies: self.cookies != nil) }
}

/// Refuses options that a session cannot support.
///
/// An option whose value describes the existing behaviour is accepted.
struct OptionRules: Sendable {
    fileprivate let hasCache: Bool
    fileprivate let hasCookies: Bool
    /// Whether a cache could still answer without the network.
    fileprivate var isAboveCache = true

    /// The rules for a request that has passed all stages: no stored response can answer it any more.
    var ofExchange: OptionRules {
        var rules = self
        rules.isAboveCache = false
        return rules
    }

    /// Checks the options of a request.
    ///
    /// - Throws: ``SessionError/Code/unsupportedOption``.
    func check(_ request: Request) throws(SessionError) {
        do throws(SessionError) {
            try self.check(request.options)
        } catch {
            var error = error
            error.request = SessionError.FailedRequest(request)
            throw error
        }
    }

    private func check(_ options: RequestOptions) throws(SessionError) {
        if options.cachePolicy == .returnCacheDataDontLoad, !(self.hasCache && self.isAboveCache) {
            throw Self.unsupported("cachePolicy", "there is no cache that could answer without the network")
        }
        if options.cachePolicy == .returnCacheDataElseLoad, !self.hasCache {
            throw Self.unsupported("cachePolicy", "there is no cache that could answer before the network")
        }
        if options.handlesCookies == true, !self.hasCookies {
            throw Self.unsupported("handlesCookies", "there is no cookie jar; set one as the configuration's cookies")
        }
        #if !os(Linux)
        if options.allowsCellularAccess == false {
            throw Self.unsupported("allowsCellularAccess", "interfaces are looked up on Linux only")
        }
        #endif
    }

    private static func unsupported(_ option: String, _ why: String) -> SessionError {
        SessionError(.unsupportedOption, reason: "the request's \(option) cannot be honoured: \(why)")
    }
}
