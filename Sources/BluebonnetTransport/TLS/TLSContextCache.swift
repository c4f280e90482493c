// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOSSL
import Synchronization

/// Makes the TLS context of a transport once, when the first https connection needs it.
final class TLSContextCache: Sendable {
    private let options: TLSOptions
    private let protocols: [String]
    private let cached = Mutex<Result<NIOSSLContext, TransportError>?>(nil)

    /// - Parameters:
    ///   - options: Whom to trust.
    ///   - protocols: The protocols to offer, the preferred one first (ALPN).
    init(options: TLSOptions, protocols: [String]) {
        self.options = options
        self.protocols = protocols
    }

    /// The context; an error if a root cannot be read.
    ///
    /// May block for tens of milliseconds the first time.
    func context() -> Result<NIOSSLContext, TransportError> {
        self.cached.withLock { cached in
            if let cached { return cached }
            let made = Self.make(self.options, protocols: self.protocols)
            cached = made
            return made
        }
    }

    private static func make(_ options: TLSOptions, protocols: [String]) -> Result<NIOSSLContext, TransportError> {
        do {
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.minimumTLSVersion = options.minimumVersion == .tls13 ? .tlsv13 : .tlsv12
            configuration.applicationProtocols = protocols
            configuration.certificateVerification = .fullVerification
            let roots = try options.additionalRoots.flatMap(Self.certificates)
            if options.trustsSystemRoots {
                configuration.additionalTrustRoots = roots.isEmpty ? [] : [.certificates(roots)]
            } else {
                configuration.trustRoots = .certificates(roots)
            }
            return .success(try NIOSSLContext(configuration: configuration))
        } catch let error as TransportError {
            return .failure(error)
        } catch {
            return .failure(
                TransportError(
                    .tlsFailed,
                    phase: .handshake,
                    reason: "TLS could not be set up: \(error)",
                    underlying: error
                )
            )
        }
    }

    private static func certificates(_ source: TLSOptions.Certificate) throws -> [NIOSSLCertificate] {
        do {
            let certificates =
                switch source {
                case .pemFile(let path): try NIOSSLCertificate.fromPEMFile(path)
                case .pem(let bytes): try NIOSSLCertificate.fromPEMBytes(bytes)
                }
            if !certificates.isEmpty { return certificates }
        } catch {
            throw Self.unreadable(source, error)
        }
        throw Self.unreadable(source, nil)
    }

    private static func unreadable(_ source: TLSOptions.Certificate, _ error: (any Error)?) -> TransportError {
        let name =
            switch source {
            case .pemFile(let path): "the file \(path)"
            case .pem: "the bytes given as a root"
            }
        return TransportError(
            .tlsFailed,
            phase: .handshake,
            reason: "no PEM certificate could be read from \(name)",
            underlying: error
        )
    }
}
