// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetSerialization
import BluebonnetTransport
import Synchronization

/// A connection without a request that retrieves the certificates of a server that was not trusted.
struct CertificateProbe {
    let plan: RequestPlan

    /// An evaluator that records the server's certificates and rejects them.
    private final class Recorder: TrustEvaluator {
        let identity = TrustIdentity.unique()
        private let shown = Mutex<[[UInt8]]>([])

        var mode: TrustMode { .replacing }

        var certificates: [[UInt8]] { self.shown.withLock { $0 } }

        func evaluate(_ server: ServerTrust) async throws {
            self.shown.withLock { $0 = server.certificates }
            throw TrustRefusal("it is only looked at")
        }
    }

    /// Connects to the server, and returns the lines that follow the error: its certificate, and how to trust it.
    ///
    /// - Returns: The lines; empty if the server sends no certificate this time.
    func lines() async -> [String] {
        let recorder = Recorder()
        var configuration = Session.Configuration()
        var engine = self.plan.transport
        engine.tls.trust = recorder
        configuration.engine = engine
        configuration.redirects = .none
        // The connection fails before the first byte of a request.
        let request = Request(method: .head, url: self.plan.request.url)
        _ = try? await Session.withSession(configuration: configuration) { session in
            try await session.send(request).status
        }
        guard let certificate = recorder.certificates.first else { return [] }
        return CertificateText.lines(certificate) + [
            "to trust this certificate, if it is the server's: --trust \(TrustedFingerprints.text(of: certificate))"
        ]
    }
}
