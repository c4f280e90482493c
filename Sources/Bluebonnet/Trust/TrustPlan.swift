// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// The checks that a server has to pass under a ``SecurityPolicy``: the truth table of its modes and flags.
struct TrustPlan: Sendable, Hashable {
    /// One check.
    enum Check: String, Sendable, Hashable, CaseIterable {
        /// The engine's own verification of the chain, with the roots it trusts.
        case systemChain
        /// The host is among the certificate's names.
        case host
        /// A path that is valid at this time leads to a pinned certificate.
        case pinnedAnchor
        /// A pinned key is in the verified path, or if the engine verifies none, at the end of a path of signatures.
        case pinnedKey
    }

    var checks: Set<Check>

    /// The reason why every server is refused; nil if the checks decide.
    var refusal: String?

    /// The checks of the default policy, and of the engine without a policy.
    static let standard = TrustPlan([.systemChain, .host])

    private init(_ checks: Set<Check>, refusal: String? = nil) {
        (self.checks, self.refusal) = (checks, refusal)
    }

    /// Whether a server could pass without the guarantees of https.
    var isInsecure: Bool { !self.checks.isSuperset(of: Self.standard.checks) }

    init(mode: SecurityPolicy.PinningMode, allowsInvalid: Bool, validatesDomain: Bool, hasPins: Bool) {
        var checks: Set<Check> = []
        if !allowsInvalid { checks.insert(.systemChain) }
        if validatesDomain { checks.insert(.host) }
        switch mode {
        case .none:
            if allowsInvalid, validatesDomain {
                self.init([], refusal: "to accept invalid certificates for a host name, something has to be pinned")
                return
            }
        case .certificate: checks.insert(.pinnedAnchor)
        case .publicKey: checks.insert(.pinnedKey)
        }
        if mode != .none, !hasPins {
            self.init([], refusal: "its mode pins certificates, and there are none")
            return
        }
        self.init(checks)
    }
}

extension SecurityPolicy {
    /// Returns the checks for a host.
    ///
    /// - Parameter host: The host of a URL, as written.
    /// - Returns: The plan.
    func plan(for host: String) -> TrustPlan {
        self.isInsecure(host) ? self.relaxedPlan : self.strictPlan
    }

    /// The checks for ``insecureHosts``.
    var relaxedPlan: TrustPlan {
        TrustPlan(
            mode: self.pinningMode,
            allowsInvalid: self.allowsInvalidCertificates,
            validatesDomain: self.validatesDomainName,
            hasPins: !self.pinnedCertificates.isEmpty
        )
    }

    /// The checks for all other hosts.
    private var strictPlan: TrustPlan {
        TrustPlan(
            mode: self.pinningMode,
            allowsInvalid: false,
            validatesDomain: true,
            hasPins: !self.pinnedCertificates.isEmpty
        )
    }

    /// Whether the flags apply to a host, whatever its spelling.
    private func isInsecure(_ host: String) -> Bool {
        guard !self.insecureHosts.isEmpty, let host = HostPattern.host(host) else { return false }
        return self.insecureHosts.contains { HostPattern.host($0) == host }
    }
}
