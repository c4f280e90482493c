// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTransport
import FoundationEssentials

/// The step that must fail: a server whose root certificate is unknown.
struct TrustSteps {
    let url: String

    /// Returns a step that makes one request on a new connection and prints the time of each phase.
    ///
    /// - Parameters:
    ///   - port: Where the server listens.
    ///   - configuration: The engine's, with the roots that are trusted.
    /// - Returns: The step.
    static func timing(port: Int, configuration: NIOTransport.Configuration) -> DemoStep {
        DemoStep(title: "One request, timed") {
            let transport = NIOTransport(configuration: configuration)
            let origin = Origin(scheme: .https, host: "localhost", port: port)
            let response: TransportResponse
            do {
                response = try await transport.exchange(TransportRequest(origin: origin, target: "/json"))
            } catch {
                await transport.shutdown()
                throw error
            }
            await transport.shutdown()
            try DemoStep.check(response.status == .ok, "the status is \(response.status.code)")
            try DemoStep.check(response.metrics.tlsHandshakeEnded != nil, "no handshake was measured")
            let tls = response.metrics.tls
            let words = [tls?.version.map { "TLS \($0.rawValue)" }, tls?.applicationProtocol]
            return DemoStep.Outcome(
                detail: words.compactMap(\.self).joined(separator: ", "),
                lines: [TimingReport.line(response.metrics, end: .now)]
            )
        }
    }

    var refusal: DemoStep {
        DemoStep(title: "Refuse without the root") {
            let stranger = HTTPSession(
                baseURL: URL(string: self.url),
                transport: NIOTransport(configuration: .loopback)
            )
            do {
                _ = try await stranger.get("json")
            } catch let error as SessionError {
                await stranger.session.transport.shutdown()
                try DemoStep.check(error.code == .untrustedCertificate, "it failed for another reason: \(error.reason)")
                try DemoStep.check(!error.isRequestSent, "bytes of the request were sent before the refusal")
                return DemoStep.Outcome(detail: "not trusted, nothing sent")
            }
            await stranger.session.transport.shutdown()
            throw DemoStep.Mismatch(reason: "a server with an unknown root was trusted")
        }
    }
}
