// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetSerialization
import BluebonnetTransport
import Synchronization

/// Looks at the certificates of a server that was refused, over a connection that carries no request.
struct CertificateProbe {
    let plan: RequestPlan

    /// Keeps what the server shows, and refuses it.
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

    /// The lines that follow the error: the server's certificate, and how to trust it.
    ///
    /// - Returns: Nothing if the server shows no certificate this time.
    func lines() async -> [String] {
        let recorder = Recorder()
        var configuration = Session.Configuration()
        var engine = self.plan.transport
        engine.tls.trust = recorder
        configuration.engine = engine
        configuration.redirects = .none
        // The connection is refused before the first byte of a request.
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
