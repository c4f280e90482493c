// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import NIOCore
import NIOSSL

/// Conversion of errors of lower layers; code above inspects only ``TransportError``.
extension TransportError {
    /// Creates an error from an error of a channel.
    init(mapping error: any Error, phase: Phase, isRequestSent: Bool) {
        switch error {
        case let error as TransportError:
            self = error
        case let error as IOError where phase != .tlsHandshake:
            let text = SystemError.text(of: error.errnoCode)
            self.init(
                .connectionClosed,
                phase: phase,
                reason: "the connection broke: \(text)",
                underlying: error,
                isRequestSent: isRequestSent
            )
        case NIOSSLError.uncleanShutdown where phase != .tlsHandshake:
            self.init(
                .connectionClosed,
                phase: phase,
                reason: "the server closed the connection without ending TLS, so the response may have been cut short",
                underlying: error,
                isRequestSent: isRequestSent
            )
        case NIOSSLError.handshakeFailed(.sslError([.eofDuringHandshake])):
            self = .closedInHandshake
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
            self.init(tls: error, phase: phase, isRequestSent: isRequestSent)
        case let error as IOError:
            let text = SystemError.text(of: error.errnoCode)
            self.init(
                .tlsFailed,
                phase: phase,
                reason: "the connection broke during the TLS handshake: \(text)",
                underlying: error
            )
        default:
            self.init(
                phase == .tlsHandshake ? .tlsFailed : .connectionClosed,
                phase: phase,
                reason: "the connection failed: \(error)",
                underlying: error,
                isRequestSent: isRequestSent
            )
        }
    }

    private init(tls error: any Error, phase: Phase, isRequestSent: Bool) {
        let text = String(describing: error)
        if text.contains("CERTIFICATE_VERIFY_FAILED") {
            self.init(
                .untrustedCertificate,
                phase: .tlsHandshake,
                reason:
                    "the server's certificate is not trusted: it is expired, self-signed or signed by an unknown authority",
                underlying: error
            )
        } else if let error = error as? NIOSSLExtraError, error == .failedToValidateHostname {
            self.init(
                CertificateObjection(.wrongHost, "the server's certificate is for another host"),
                underlying: error
            )
        } else {
            self.init(
                .tlsFailed,
                phase: phase,
                reason: Self.words(ofTLS: text),
                underlying: error,
                isRequestSent: isRequestSent
            )
        }
    }
}
