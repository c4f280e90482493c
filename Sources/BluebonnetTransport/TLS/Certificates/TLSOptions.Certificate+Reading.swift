// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import NIOSSL

extension TLSOptions.Certificate {
    /// The maximum file size, in bytes; the systems' bundles have some hundred KiB.
    private static let limit = 16 * 1024 * 1024

    /// Reads the certificates; blocks if they are in a file.
    ///
    /// - Throws: ``TransportError/Code/tlsFailed`` if there is none.
    func read() throws(TransportError) -> [NIOSSLCertificate] {
        let failure: (any Error)?
        do {
            let bytes = try self.bytes()
            let certificates = bytes.isEmpty ? [] : try NIOSSLCertificate.fromPEMBytes(bytes)
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
        let fault = (failure as? FileFault).map { ": \($0.text)" } ?? ""
        throw TransportError(setup: "no PEM certificate could be read from \(name)\(fault)", underlying: failure)
    }

    /// Reads the bytes of the certificates.
    private func bytes() throws(FileFault) -> [UInt8] {
        switch self {
        case .pemFile(let path):
            // Refuses devices and pipes, which may never end.
            _ = try RegularFile.byteCount(ofPath: path)
            return try FileContent.read(path, upTo: Self.limit)
        case .pem(let bytes): return bytes
        }
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
