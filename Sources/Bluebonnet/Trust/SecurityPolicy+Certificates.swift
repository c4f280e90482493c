// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetTransport
public import FoundationEssentials

extension SecurityPolicy {
    /// The largest file that ``certificates(in:)`` reads: 1 MiB.
    public static let largestCertificateFile = 1024 * 1024

    /// Reads the certificates of a folder, blocking the thread: its files `.cer`, `.crt`, `.der` and `.pem`, in any
    /// case, in DER or PEM.
    ///
    /// Subfolders are not read. The resources of a bundle are in the folder `Bundle.module.resourceURL`.
    ///
    /// - Parameter folder: The URL of the folder.
    /// - Returns: The certificates in DER; none if there is no such file.
    /// - Throws: ``SessionError/Code/invalidConfiguration`` if the folder or one of the files cannot be read, or a file
    ///   contains something else.
    public static func certificates(in folder: URL) throws(SessionError) -> Set<[UInt8]> {
        let path = folder.path(percentEncoded: false)
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw Self.unreadable("the folder \(path)", error)
        }
        var certificates: Set<[UInt8]> = []
        for name in names where Self.isCertificate(name) {
            certificates.formUnion(
                try Self.certificates(atPath: "\(path.utf8.last == UInt8(ascii: "/") ? path : path + "/")\(name)")
            )
        }
        return certificates
    }

    private static func isCertificate(_ name: String) -> Bool {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return false }
        return ["cer", "crt", "der", "pem"].contains(name[name.utf8.index(after: dot)...].asciiLowercased)
    }

    private static func certificates(atPath path: String) throws(SessionError) -> [[UInt8]] {
        let bytes: [UInt8]
        do {
            // Refuses devices and pipes, which may never end.
            _ = try RegularFile.byteCount(ofPath: path)
            bytes = try FileContent.read(path, upTo: Self.largestCertificateFile)
        } catch {
            throw Self.unreadable("the file \(path)", error)
        }
        // DER begins with the tag of a sequence, and PEM does not.
        if bytes.first == 0x30 {
            guard CertificateInspection.publicKeyDigest(of: bytes) != nil else {
                throw Self.unreadable("the file \(path)", nil)
            }
            return [bytes]
        }
        do {
            return try TLSOptions.Certificate.pem(bytes).readDER()
        } catch {
            throw Self.unreadable("the file \(path)", error)
        }
    }

    private static func unreadable(_ what: String, _ error: (any Error)?) -> SessionError {
        SessionError(
            .invalidConfiguration,
            reason: "no certificates to pin could be read from \(what)",
            underlying: error
        )
    }
}
