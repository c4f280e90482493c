// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import FoundationEssentials

extension Session.Configuration {
    /// The keys that servers have to have, besides a certificate that is trusted; none unless set.
    ///
    /// See ``PublicKeyPins``.
    /// A request can bring more, with `request.transport.pins`; it cannot take these away.
    public var pins: PublicKeyPins? {
        get { self.transportOptions.pins }
        set { self.transportOptions.pins = newValue }
    }

    /// Who is trusted besides, or instead of, those whom the system trusts; the system alone unless set.
    ///
    /// See ``SecurityPolicy``.
    /// A request can bring its own, with `request.transport.securityPolicy`.
    public var securityPolicy: SecurityPolicy? {
        get { self.transportOptions.securityPolicy }
        set { self.transportOptions.securityPolicy = newValue }
    }
}

extension HTTPSession {
    /// Refuses a base URL that pins would have no effect on.
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
