// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetFiles
import BluebonnetSerialization
import BluebonnetTransport

extension CommandFailure {
    /// Says in one sentence what went wrong and what to try.
    ///
    /// - Parameter error: What a command threw.
    init(describing error: any Error) {
        switch error {
        case let error as CommandFailure:
            self = error
        case let error as SessionError:
            // What the command's own sinks threw comes back wrapped.
            if let failure = Self.original(of: error) {
                self = failure
            } else {
                self.init(Self.status(of: error.code), Self.sentence(for: error))
            }
        case let error as SerializationError:
            self.init(.usage, error.reason)
        case let error as TransportError:
            self.init(.transport, error.reason)
        default:
            self.init(.transport, "unexpected failure: \(error)")
        }
    }

    private static func original(of error: any Error) -> CommandFailure? {
        var next: (any Error)? = error
        for _ in 0..<8 {
            if let failure = next as? CommandFailure { return failure }
            switch next {
            case let error as SessionError: next = error.underlying
            case let error as TransportError: next = error.underlying
            case let error as SerializationError: next = error.underlying
            default: return nil
            }
        }
        return nil
    }

    private static func status(of code: SessionError.Code) -> CommandStatus {
        switch code {
        case .invalidURL, .invalidRequest, .invalidProxy, .bodyFailed, .serializationFailed: .usage
        default: .transport
        }
    }

    private static func sentence(for error: SessionError) -> String {
        let hint = Self.hint(for: error)
        guard !hint.isEmpty, error.reason.utf8.last != UInt8(ascii: "?") else { return error.reason }
        return "\(error.reason); \(hint)"
    }

    private static func hint(for error: SessionError) -> String {
        switch error.code {
        case .nameResolutionFailed: "check the spelling of the host, and the network"
        case .connectFailed: ConnectHint.text(for: error)
        case .proxyFailed: "check the proxy, or go without one: --proxy \"\""
        case .proxyAuthenticationRequired where error.reason.contains("does not accept the credentials"):
            "check the user name and the password in the proxy's URL"
        // An example of a URL would be printed without its user information.
        case .proxyAuthenticationRequired where error.reason.contains("give it a user name"):
            "write them before the host of its URL: name, colon, password, @"
        case .untrustedCertificate where error.reason.contains("--trust names"):
            "if the server has a new certificate, give its fingerprint to --trust"
        case .untrustedCertificate: Self.hint(for: (error.underlying as? TransportError)?.certificateFault)
        case .tlsFailed where error.reason.contains("does not speak TLS"): "check that the port speaks https"
        case .tlsFailed where error.reason.contains("demands a client certificate"): "give one with --cert FILE"
        case .timedOut where error.phase == .total: "try again, or allow more with --max-time SECONDS"
        case .timedOut: "try again, or allow more with --timeout SECONDS"
        case .tooManyRedirects: "allow more with --max-redirects COUNT"
        case .connectionClosed where error.phase == .responseHead && Self.mayBeOfTLS(error):
            "check that the port speaks http and not https"
        case .connectionClosed where error.phase == .tlsHandshake:
            "check that the port speaks https; otherwise try again"
        case .connectionClosed: "try again; if it happens again, the server is at fault"
        case .protocolViolation where error.reason.contains("HTTP/1 status line"): "check that the port speaks http"
        default: ""
        }
    }

    /// Whether the server may have closed the connection because it expects TLS: it has not spoken HTTP/2 in clear text.
    private static func mayBeOfTLS(_ error: SessionError) -> Bool {
        error.request?.url.scheme?.isASCIIWord("http") == true && !error.reason.starts(withScalars: "the server reset")
    }

    private static func hint(for fault: CertificateFault?) -> String {
        switch fault {
        case .expired?, .notYetValid?: "check the clock of this machine; otherwise the server needs a new one"
        case .wrongHost?: "check the host, or the certificate of the server"
        case .selfSigned?, .unknownAuthority?, nil:
            "if you trust its issuer, give the issuer's certificate with --cacert FILE"
        default: "the server needs another certificate"
        }
    }
}
