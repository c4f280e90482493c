// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetFiles
import BluebonnetSerialization
import BluebonnetTransport

extension CommandFailure {
    /// Says in one sentence what went wrong and what to try.
    ///
    /// - Parameters:
    ///   - error: What a command threw.
    ///   - isOfCurl: Whether it was a command of curl, whose options have other names.
    init(describing error: any Error, isOfCurl: Bool = false) {
        switch error {
        case let error as CommandFailure:
            self = error
        case let error as SessionError:
            // What the command's own sinks threw comes back wrapped.
            if let failure = Self.original(of: error) {
                self = failure
            } else {
                self.init(Self.status(of: error.code), Self.sentence(for: error, isOfCurl))
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

    private static func sentence(for error: SessionError, _ isOfCurl: Bool) -> String {
        let hint = Self.hint(for: error, isOfCurl)
        guard !hint.isEmpty, error.reason.utf8.last != UInt8(ascii: "?") else { return error.reason }
        return "\(error.reason); \(hint)"
    }

    private static func hint(for error: SessionError, _ isOfCurl: Bool) -> String {
        switch error.code {
        case .nameResolutionFailed: "check the spelling of the host, and the network"
        case .connectFailed: ConnectHint.text(for: error)
        case .proxyFailed: "check the proxy, or go without one: --proxy \"\""
        case .proxyAuthenticationRequired where error.cause == .proxyCredentialsRefused:
            "check the user name and the password in the proxy's URL"
        // An example of a URL would be printed without its user information.
        case .proxyAuthenticationRequired where error.cause == .proxyCredentialsMissing:
            "write them before the host of its URL: name, colon, password, @"
        case .untrustedCertificate: Self.hint(for: error.certificateFault)
        case .tlsFailed where error.cause == .notTLS: "check that the port speaks https"
        case .tlsFailed where error.cause == .clientCertificateMissing: "give one with --cert FILE"
        case .tlsFailed where error.cause == .handshakeRefused: "if none was given, give one with --cert FILE"
        case .timedOut where error.phase == .total: "try again, or allow more with --max-time SECONDS"
        case .timedOut: "try again, or allow more with \(Self.timeLimit(of: error.phase, isOfCurl)) SECONDS"
        case .tooManyRedirects: "allow more with \(isOfCurl ? "--max-redirs" : "--max-redirects") COUNT"
        case .connectionClosed where error.phase == .responseHead && Self.mayBeOfTLS(error):
            "check that the port speaks http and not https"
        case .connectionClosed where error.phase == .tlsHandshake:
            "check that the port speaks https; otherwise try again"
        case .connectionClosed: "try again; if it happens again, the server is at fault"
        case .protocolViolation where error.cause == .notHTTP: "check that the port speaks http"
        default: ""
        }
    }

    /// The option that sets the limit of a phase: one for all, but in curl.
    private static func timeLimit(of phase: SessionError.Phase?, _ isOfCurl: Bool) -> String {
        switch phase {
        case _ where !isOfCurl: "--timeout"
        case .resolve?, .connect?, .tlsHandshake?: "--connect-timeout"
        default: "--speed-time"
        }
    }

    /// Whether the server may have closed the connection because it expects TLS: it has not spoken HTTP/2 in clear text.
    private static func mayBeOfTLS(_ error: SessionError) -> Bool {
        error.request?.url.scheme?.isASCIIWord("http") == true && error.cause != .streamReset
    }

    private static func hint(for fault: CertificateFault?) -> String {
        switch fault {
        case .expired?, .notYetValid?: "check the clock of this machine; otherwise the server needs a new one"
        case .pinMismatch?: "if the server has a new certificate, give its fingerprint to --trust"
        case .wrongHost?: "check the host, or the certificate of the server"
        case .selfSigned?, .unknownAuthority?, nil:
            "if you trust its issuer, give the issuer's certificate with --cacert FILE"
        default: "the server needs another certificate"
        }
    }
}
