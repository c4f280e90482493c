// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import FoundationEssentials

extension Session.Configuration {
    /// The keys that servers must have in addition to a trusted certificate; none unless set.
    ///
    /// See ``PublicKeyPins``.
    /// A request can add more, with `request.transportOptions.pins`; it cannot remove these.
    public var pins: PublicKeyPins? {
        get { self.transportOptions.pins }
        set { self.transportOptions.pins = newValue }
    }

    /// The policy that extends or replaces the system's trust; the system alone unless set.
    ///
    /// See ``SecurityPolicy``.
    /// A request can have its own, with `request.transportOptions.securityPolicy`.
    public var securityPolicy: SecurityPolicy? {
        get { self.transportOptions.securityPolicy }
        set { self.transportOptions.securityPolicy = newValue }
    }
}

extension HTTPSession {
    /// Refuses a base URL on which pins would have no effect.
    static func check(_ baseURL: URL, _ configuration: Session.Configuration) throws(SessionError) {
        let origin = try RequestTarget(baseURL).origin
        if let fault = TrustRules.plainTextFault(
            origin,
            configuration.securityPolicy,
            configuration.pins?.sets(for: origin.host) ?? []
        ) {
            throw fault
        }
    }
}
