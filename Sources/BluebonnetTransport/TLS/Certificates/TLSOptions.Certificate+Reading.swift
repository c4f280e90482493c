// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import NIOSSL

extension TLSOptions.Certificate {
    /// Reads the certificates; blocks if they are in a file.
    ///
    /// - Throws: ``TransportError/Code/tlsFailed`` if there is none.
    func read() throws(TransportError) -> [NIOSSLCertificate] {
        let failure: (any Error)?
        do {
            let certificates =
                switch self {
                // The library would open the file that the path before a NUL names.
                case .pemFile(let path): try path.utf8.contains(0) ? [] : NIOSSLCertificate.fromPEMFile(path)
                case .pem(let bytes): try NIOSSLCertificate.fromPEMBytes(bytes)
                }
            if !certificates.isEmpty { return certificates }
            failure = nil
        } catch {
            failure = error
        }
        let name =
            switch self {
            case .pemFile(let path): "the file \(path)"
            case .pem: "the bytes given as a root"
            }
        throw TransportError(setup: "no PEM certificate could be read from \(name)", underlying: failure)
    }

    /// Reads the certificates in DER; blocks if they are in a file.
    ///
    /// - Returns: The certificates in order; at least one.
    /// - Throws: ``TransportError/Code/tlsFailed`` if there is none.
    package func readDER() throws(TransportError) -> [[UInt8]] {
        let certificates = try self.read()
        do {
            return try certificates.map { try $0.toDERBytes() }
        } catch {
            throw TransportError(setup: "a certificate cannot be written in DER", underlying: error)
        }
    }
}
