// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

/// What a server has to pass under a ``SecurityPolicy``: the truth table of its modes and flags.
struct TrustPlan: Sendable, Hashable {
    /// One thing that is checked.
    enum Check: String, Sendable, Hashable, CaseIterable {
        /// The engine's own verification of the chain, with the roots it trusts.
        case systemChain
        /// The host is among the certificate's names.
        case host
        /// A path that is valid at this time leads to a pinned certificate.
        case pinnedAnchor
        /// A pinned key is in the path that was verified, or where the engine verifies none, at the end of a path of signatures.
        case pinnedKey
    }

    var checks: Set<Check>

    /// Why everybody is refused; nil where the checks decide.
    var refusal: String?

    /// What the default policy checks, and the engine without any.
    static let standard = TrustPlan([.systemChain, .host])

    private init(_ checks: Set<Check>, refusal: String? = nil) {
        (self.checks, self.refusal) = (checks, refusal)
    }

    /// Whether a server could pass that proves nothing of what https promises.
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
    /// What a host has to pass.
    ///
    /// - Parameter host: The host of a URL, as it is written.
    /// - Returns: The plan.
    func plan(for host: String) -> TrustPlan {
        self.isInsecure(host) ? self.relaxedPlan : self.strictPlan
    }

    /// What ``insecureHosts`` have to pass.
    var relaxedPlan: TrustPlan {
        TrustPlan(
            mode: self.pinningMode,
            allowsInvalid: self.allowInvalidCertificates,
            validatesDomain: self.validatesDomainName,
            hasPins: !self.pinnedCertificates.isEmpty
        )
    }

    /// What all other hosts have to pass.
    private var strictPlan: TrustPlan {
        TrustPlan(
            mode: self.pinningMode,
            allowsInvalid: false,
            validatesDomain: true,
            hasPins: !self.pinnedCertificates.isEmpty
        )
    }

    /// Whether the flags apply to a host: one and the same host, whatever its spelling.
    private func isInsecure(_ host: String) -> Bool {
        guard !self.insecureHosts.isEmpty, let host = HostPattern.host(host) else { return false }
        return self.insecureHosts.contains { HostPattern.host($0) == host }
    }
}
