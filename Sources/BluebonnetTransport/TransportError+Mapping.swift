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
        case let error as IOError:
            let text = SystemError.text(of: error.errnoCode)
            self.init(
                .connectionClosed,
                phase: phase,
                reason: "the connection broke\(phase == .tlsHandshake ? " during the TLS handshake" : ""): \(text)",
                underlying: error,
                isRequestSent: isRequestSent
            )
        case NIOSSLError.handshakeFailed(.sslError([.eofDuringHandshake])),
            NIOSSLError.handshakeFailed(.sslError([.eofDuringAdditionalCertficiateChainValidation])),
            // The server sent close_notify.
            NIOSSLError.handshakeFailed(.zeroReturn),
            // An https proxy closed the outer TLS connection without close_notify.
            NIOSSLError.uncleanShutdown where phase == .tlsHandshake,
            is ChannelError where phase == .tlsHandshake:
            self = .closedInHandshake
        case NIOSSLError.uncleanShutdown:
            self.init(
                .connectionClosed,
                phase: phase,
                reason: "the server closed the connection without ending TLS: the response is missing or incomplete",
                underlying: error,
                isRequestSent: isRequestSent
            )
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
            self.init(tls: error, phase: phase, isRequestSent: isRequestSent)
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
            // The library has refused the chain before it verified a path, so no certificate is known to be at fault.
            self.init(
                CertificateObjection(
                    .brokenRule,
                    "the server's certificate is not trusted: the TLS library cannot use one of its chain, "
                        + "whose extensions are malformed or contradict each other"
                ),
                underlying: error
            )
        } else if text.contains("KEY_USAGE_BIT_INCORRECT") {
            self.init(
                CertificateObjection(
                    .brokenRule,
                    "the server's certificate is not trusted: its key usage does not include digitalSignature, "
                        + "which the handshake needs (with an RSA key exchange: keyEncipherment)"
                ),
                underlying: error
            )
        } else if let error = error as? NIOSSLExtraError, error == .failedToValidateHostname {
            self.init(
                CertificateObjection(.wrongHost, "the server's certificate is for another host"),
                underlying: error
            )
        } else {
            let fault = TLSFault(reading: text)
            self.init(
                .tlsFailed,
                phase: phase,
                reason: fault.reason,
                underlying: error,
                isRequestSent: isRequestSent
            )
            self.cause = fault.cause
        }
    }
}
