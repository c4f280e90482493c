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

    /// Refuses options that the session cannot support.
    ///
    /// An option whose value describes the existing behaviour is accepted.
    func check(_ options: RequestOptions) throws(SessionError) {
        if options.cachePolicy == .returnCacheDataDontLoad, self.cache == nil {
            throw Self.unsupported("cachePolicy", "there is no cache that could answer without the network")
        }
        if options.cachePolicy == .returnCacheDataElseLoad, self.cache == nil {
            throw Self.unsupported("cachePolicy", "there is no cache that could answer before the network")
        }
        if options.handlesCookies == true, self.cookies == nil {
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
