// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

extension ClientIdentity.Source {
    /// The maximum file size, in bytes.
    private static let limit = 1024 * 1024

    /// Reads all bytes.
    ///
    /// - Throws: ``TransportError/Code/tlsFailed`` if the file does not exist, cannot be read, is not a regular file or
    ///   is too large.
    func read() throws(TransportError) -> [UInt8] {
        switch self {
        case .bytes(let bytes): return bytes
        case .file(let path):
            do throws(FileFault) {
                // Refuses devices and pipes, which may never end and can be read only once.
                _ = try RegularFile.byteCount(ofPath: path)
                return try FileContent.read(path, upTo: Self.limit)
            } catch .tooLarge {
                throw TransportError(setup: "the file \(path) is larger than 1 MiB")
            } catch {
                throw TransportError(setup: "the file \(path) cannot be read: \(error.text)")
            }
        }
    }
}
