// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
public import FoundationEssentials

extension HTTPArchive {
    /// The maximum size of a file that is read: 256 MiB.
    public static let largestFile = 256 * 1024 * 1024

    /// Reads an archive; blocks.
    ///
    /// - Parameter file: The URL of a file of at most ``largestFile`` bytes; a pipe is read until its writer closes it.
    /// - Throws: ``HTTPArchiveError`` if it cannot be read, or is not an archive.
    public init(contentsOf file: URL) throws(HTTPArchiveError) {
        let path = file.path(percentEncoded: false)
        let bytes: [UInt8]
        do throws(FileFault) {
            bytes = try FileContent.read(path, upTo: Self.largestFile)
        } catch {
            throw HTTPArchiveError(.unreadable, "\(path) cannot be read: \(error.text)", underlying: error)
        }
        do {
            try self.init(parsing: Data(bytes))
        } catch {
            throw HTTPArchiveError(error.code, "\(path): \(error.reason)", underlying: error.underlying)
        }
    }

    /// Writes the archive; blocks.
    ///
    /// The file is either complete or unchanged. A new file is readable by its owner only; a replaced file keeps its
    /// permissions.
    ///
    /// - Parameter file: The URL of the file, which is replaced if it exists.
    /// - Throws: ``HTTPArchiveError`` if it cannot be written.
    public func write(to file: URL) throws(HTTPArchiveError) {
        let path = file.path(percentEncoded: false)
        guard let location = FileLocation(path: path) else {
            throw HTTPArchiveError(.unwritable, "\(path) is no name of a file")
        }
        let document = self.serialized()
        do throws(SystemError) {
            var output = try AtomicFile(at: location)
            try Self.write(document, to: &output)
            try output.commit(replacing: true, synchronizing: false, isPrivate: true)
        } catch {
            throw HTTPArchiveError(.unwritable, "\(path) cannot be written: \(error.text)", underlying: error)
        }
    }

    private static func write(_ document: Data, to output: inout AtomicFile) throws(SystemError) {
        try document.withUnsafeBytes { bytes in
            Result { () throws(SystemError) in try output.write(bytes) }
        }.get()
    }
}
