// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization
import Crypto
import FoundationEssentials

/// The file of an upload, open from its first byte to its last.
struct UploadSource: Sendable {
    let url: URL
    /// The identity of the file when it was opened.
    let identity: FileIdentity
    private let file: RegularFile

    private static var pieceByteCount: Int { 256 * 1024 }

    /// Opens a file.
    ///
    /// - Throws: `SessionError` with `bodyFailed`.
    init(_ url: URL) throws(SessionError) {
        guard url.isFileURL else { throw SessionError(.bodyFailed, reason: "the file to upload is not a file URL") }
        do throws(FileFault) {
            self.file = try RegularFile(path: url.path(percentEncoded: false))
            self.identity = try self.file.identity()
        } catch {
            throw SessionError(ofUploadSource: error)
        }
        self.url = url
    }

    var byteCount: Int64 { self.identity.byteCount }

    /// Checks that the open file has not changed.
    ///
    /// - Throws: `SessionError` with `sourceChanged`.
    func check() throws(SessionError) {
        do throws(FileFault) {
            guard try self.file.identity() == self.identity else { throw FileFault.tooLarge }
        } catch {
            throw .sourceChanged
        }
    }

    /// Removes the file if it is still the same; does nothing if it is gone, or if something else has taken its place.
    ///
    /// - Throws: `SystemError` if it could not be removed.
    func remove() throws(SystemError) {
        try RegularFile.remove(self.url.path(percentEncoded: false), ifStill: self.identity)
    }

    /// A part of the file, as the body of a request.
    func body(_ range: Range<Int64>) -> RequestBody {
        if range.isEmpty { return .data(Data()) }
        let file = self.file
        return .stream(length: range.upperBound - range.lowerBound) { UploadPieceReader(file: file, range: range) }
    }

    /// Computes the digest of a part of the file, blocking the thread.
    ///
    /// - Throws: `SessionError`; `CancellationError` when the task is cancelled.
    func digest<Hash: HashFunction>(of range: Range<Int64>, with algorithm: Hash.Type) throws -> Data {
        var hash = algorithm.init()
        var reader = UploadPieceReader(file: self.file, range: range)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceByteCount, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            try Task.checkCancellation()
            let count = try reader.read(into: buffer)
            if count == 0 { return Data(hash.finalize()) }
            hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }
}

/// Reads a part of an open file.
private struct UploadPieceReader: BodyReader {
    let file: RegularFile
    var range: Range<Int64>

    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let room = Int(min(Int64(buffer.count), self.range.upperBound - self.range.lowerBound))
        guard room > 0 else { return 0 }
        let count: Int
        do throws(SystemError) {
            count = try self.file.read(
                into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<room]),
                at: self.range.lowerBound
            )
        } catch {
            throw SessionError(ofUploadSource: .system(error))
        }
        // The file is shorter than it was.
        guard count > 0 else { throw SessionError.sourceChanged }
        self.range = (self.range.lowerBound + Int64(count))..<self.range.upperBound
        return count
    }
}
