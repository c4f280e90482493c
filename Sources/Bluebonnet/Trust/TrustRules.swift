// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetSerialization
import BluebonnetTransport
import FoundationEssentials
import Logging

/// Applies the trust rules of a session and of a request to the transport's request, for each exchange.
///
/// They are applied last: they see the origin that the request goes to, after every redirect and interceptor.
struct TrustRules: Sendable {
    private let policy: SecurityPolicy?
    private let pins: PublicKeyPins?
    private let support: TrustSupport
    /// The error in the session's own rules.
    private let fault: SessionError?
    private let now: @Sendable () -> Date

    init(
        _ configuration: Session.Configuration,
        _ transport: any Transport,
        now: @escaping @Sendable () -> Date = { Date.now }
    ) {
        let options = configuration.transportOptions
        self.policy = options.securityPolicy
        self.pins = options.pins
        self.support = transport.trustSupport
        self.fault = Self.fault(options)
        self.now = now
    }

    /// Completes a request of the transport.
    ///
    /// - Parameters:
    ///   - outgoing: The transport's request, with the options of the session and of the request applied.
    ///   - request: The request.
    /// - Throws: `invalidConfiguration` if the rules cannot be used, or have no effect on this request.
    func apply(to outgoing: inout TransportRequest, _ request: Request) throws(SessionError) {
        if self.policy == nil, self.pins == nil, request.context.isEmpty { return }
        let own = request.context[TransportOptions.self]
        guard self.policy != nil || self.pins != nil || own?.securityPolicy != nil || own?.pins != nil else { return }
        if let fault = self.fault ?? own.flatMap(Self.fault) { throw fault }
        let host = outgoing.origin.host
        let sets = (self.pins?.sets(for: host) ?? []) + (own?.pins?.sets(for: host) ?? [])
        // A request with its own evaluator has chosen who decides; pins stay.
        let policy = own?.securityPolicy ?? (own?.trust == nil ? self.policy : nil)
        guard policy != nil || !sets.isEmpty else { return }
        if let fault = Self.plainTextFault(outgoing.origin, policy, sets, now: self.now()) { throw fault }
        guard outgoing.origin.scheme == .https else { return }
        let base = try self.judge(policy, host: host, given: outgoing.trust)
        outgoing.trust =
            sets.isEmpty ? base : PinEvaluator(base: base, sets: sets, report: self.report(own), now: self.now)
    }

    /// The evaluator that decides about a server before pins do; nil for the engine alone.
    private func judge(
        _ policy: SecurityPolicy?,
        host: String,
        given: (any TrustEvaluator)?
    ) throws(SessionError) -> (any TrustEvaluator)? {
        guard case .supported(let standing) = self.support else {
            throw Self.invalid(
                "the transport cannot judge servers, so that pins and security policies would have no effect"
            )
        }
        guard let policy else { return given ?? standing }
        guard standing == nil else {
            throw Self.invalid(
                "the transport has a trust evaluator, and a security policy would take its place; choose one of them"
            )
        }
        let plan = policy.plan(for: host)
        if plan.isInsecure {
            policy.logger.warning(
                "server is not fully verified",
                metadata: [
                    "host": "\(host)", "accepts-invalid-certificates": "\(policy.allowsInvalidCertificates)",
                    "validates-domain-name": "\(policy.validatesDomainName)",
                ]
            )
        }
        return plan == .standard ? nil : PolicyEvaluator(policy: policy, plan: plan, now: self.now)
    }

    /// Calls the session's hook and the request's.
    private func report(_ own: TransportOptions?) -> @Sendable (PinReport) -> Void {
        let hooks = [self.pins?.onReport, own?.pins?.onReport].compactMap { $0 }
        return { report in
            for hook in hooks { hook(report) }
        }
    }

    /// The error in the rules of a session or a request.
    private static func fault(_ options: TransportOptions) -> SessionError? {
        if options.securityPolicy != nil, options.trust != nil {
            return Self.invalid(
                "there are a trust evaluator and a security policy, and either would decide; choose one of them"
            )
        }
        return options.securityPolicy?.fault ?? options.pins?.fault
    }

    /// The error for a URL that cannot be used with pins: plain http has no certificates.
    ///
    /// - Parameters:
    ///   - origin: The origin of the URL.
    ///   - policy: The policy that applies.
    ///   - sets: The pins for the origin's host.
    ///   - now: The time.
    /// - Returns: The error; nil if the URL can be used.
    static func plainTextFault(
        _ origin: Origin,
        _ policy: SecurityPolicy?,
        _ sets: [PinSet],
        now: Date = Date.now
    ) -> SessionError? {
        guard origin.scheme == .http else { return nil }
        let isPinned =
            policy.map { $0.pinningMode != .none } ?? false
            || sets.contains { $0.isEnforced(at: now) }
        guard isPinned else { return nil }
        return Self.invalid(
            "the host \(origin.host) is pinned, and a URL with http shows no certificate; write it with https"
        )
    }

    private static func invalid(_ reason: String) -> SessionError {
        SessionError(.invalidConfiguration, reason: reason)
    }
}
