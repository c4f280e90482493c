// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

extension TransportError {
    /// An evaluator refused a server.
    init(refusalOf origin: Origin, error: any Error) {
        let reason =
            switch error {
            case let refusal as TrustRefusal: refusal.reason
            case let error as TransportError: error.reason
            case is CancellationError: "the certificates of \(origin) could not be judged: that was cancelled"
            default: "the certificates of \(origin) were refused by the program's own rules"
            }
        self.init(.untrustedCertificate, phase: .tlsHandshake, reason: reason, underlying: error)
        self.certificateFault = (error as? TrustRefusal)?.fault
    }
}
