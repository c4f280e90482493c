// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetTransport
import FoundationEssentials

/// An evaluator that returns the verified path, so that pins are compared with that, not with what a server sends.
protocol VerifiedPathEvaluator: TrustEvaluator {
    /// Evaluates a server.
    ///
    /// - Parameter server: The server.
    /// - Returns: The certificates in DER whose keys are proven, beginning with the server's own.
    /// - Throws: Any error that says why the server is refused.
    func verifiedPath(of server: ServerTrust) async throws -> [[UInt8]]
}

extension X509TrustEvaluator: VerifiedPathEvaluator {}

/// Compares the keys of a verified path with pins, after another evaluator has accepted the server.
struct PinEvaluator: TrustEvaluator {
    /// The evaluator that decides first; nil for the engine alone.
    let base: (any TrustEvaluator)?
    let sets: [PinSet]
    let report: @Sendable (PinReport) -> Void
    let now: @Sendable () -> Date

    var mode: TrustMode { self.base?.mode ?? .additional }

    var identity: TrustIdentity { TrustIdentity(Parts(base: self.base?.identity, sets: self.sets)) }

    private struct Parts: Hashable, Sendable {
        let base: TrustIdentity?
        let sets: [PinSet]
    }

    func evaluate(_ server: ServerTrust) async throws {
        let path = try await self.path(of: server)
        let seen = try path.map { certificate throws(TrustRefusal) in
            guard let pin = try? PublicKeyPin(certificate: certificate) else {
                throw TrustRefusal("a certificate of the server's chain cannot be read", fault: .unreadable)
            }
            return pin
        }
        let now = self.now()
        var refusal: PinReport?
        for set in self.sets where set.pins.isDisjoint(with: seen) {
            let report = PinReport(
                host: server.host,
                port: server.port,
                pattern: set.pattern,
                seen: seen,
                expected: set.pins,
                isEnforced: set.isEnforced(at: now)
            )
            self.report(report)
            if report.isEnforced, refusal == nil { refusal = report }
        }
        if let refusal { throw TrustRefusal(refusal.description, fault: .pinMismatch, underlying: refusal) }
    }

    /// The certificates whose keys are compared.
    private func path(of server: ServerTrust) async throws -> [[UInt8]] {
        if let base = self.base as? any VerifiedPathEvaluator {
            let path = try await base.verifiedPath(of: server)
            return server.isVerified ? server.certificates : path
        }
        try await self.base?.evaluate(server)
        // Only the key of the server's own certificate is proven if no path was verified.
        return server.isVerified ? server.certificates : Array(server.certificates.prefix(1))
    }
}
