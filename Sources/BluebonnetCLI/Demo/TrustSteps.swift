// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetTransport
import FoundationEssentials

/// The step that must not succeed: a server whose root nobody has added.
struct TrustSteps {
    let url: String

    var refusal: DemoStep {
        DemoStep(title: "Refuse without the root") {
            let stranger = HTTPSession(
                baseURL: URL(string: self.url),
                transport: NIOTransport(configuration: .loopback)
            )
            do {
                _ = try await stranger.get("json")
            } catch let error as SessionError {
                await stranger.session.shutdown()
                try DemoStep.check(error.code == .untrustedCertificate, "it failed for another reason: \(error.reason)")
                try DemoStep.check(!error.isRequestSent, "bytes of the request were sent before the refusal")
                return DemoStep.Outcome(detail: "not trusted, nothing sent")
            }
            await stranger.session.shutdown()
            throw DemoStep.Mismatch(reason: "a server with an unknown root was trusted")
        }
    }
}
