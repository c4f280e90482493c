// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import Bluebonnet
import BluebonnetFiles
import BluebonnetSerialization
import FoundationEssentials
import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension DownloadRun {
    /// Saves the body in what is there already, which a new file could not stand for.
    ///
    /// - Parameters:
    ///   - session: What sends the request.
    ///   - monitor: Counts the bytes.
    /// - Returns: What was saved.
    /// - Throws: `CommandFailure`, `SessionError`, or `CancellationError`. A regular file is unchanged then, unless
    ///   writing to it has failed.
    func write(over session: Session, _ monitor: TransferMonitor) async throws -> SavedBody {
        let policy = self.plan.download
        guard self.place.kind == .stream, policy.digest == nil, policy.parallelism == 1 else {
            return try await self.writeWhole(over: session, monitor)
        }
        let response = try await session.send(self.plan.request, monitor: monitor)
        guard policy.validation.acceptableStatusCodes?.contains(response.status.code) ?? true else {
            throw SessionError(.unacceptableStatus, reason: "", response: try await response.response())
        }
        let file = try FileSink(path: self.place.path)
        var verifier = ResponseVerifier(response)
        var saved = SavedBody(
            response: Response(status: response.status, headers: response.headers, request: response.request),
            byteCount: 0
        )
        for try await buffer in response.body {
            try buffer.withUnsafeReadableBytes { bytes in
                try file.write(bytes)
                verifier.update(bytes)
            }
            saved.byteCount += Int64(buffer.readableBytes)
        }
        try Task.checkCancellation()
        _ = try file.commit()
        do {
            saved.digests = try verifier.verify(response.body.trailers)
        } catch {
            throw CommandFailure(.transport, "\(error.reason), and “\(self.place.shownPath)” has received them")
        }
        return saved
    }

    /// Downloads to a temporary file, and copies it when it is whole and verified.
    private func writeWhole(over session: Session, _ monitor: TransferMonitor) async throws -> SavedBody {
        let parent = self.place.waitingFolder
        var template = Array("\(parent)/.bluebonnet-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Self.cannotWait(in: parent, SystemError(.create, errno).text) }
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/body"
        let saved: SavedBody
        do {
            saved = try await self.download(over: session, to: LiteralPath.url(path), monitor)
        } catch let error as SessionError where Self.storageCodes.contains(error.code) {
            throw Self.cannotWait(in: parent, error.reason)
        }
        try self.copy(path)
        return saved
    }

    private func copy(_ path: String) throws {
        let source: RegularFile
        do throws(FileFault) {
            source = try RegularFile(path: path)
        } catch {
            throw LocalFile.failure(error, path)
        }
        let file = try FileSink(path: self.place.path)
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 16)
        defer { piece.deallocate() }
        var offset: Int64 = 0
        while true {
            try Task.checkCancellation()
            let count: Int
            do throws(SystemError) {
                count = try source.read(into: piece, at: offset)
            } catch {
                throw LocalFile.failure(.system(error), path)
            }
            guard count > 0 else { break }
            try file.write(UnsafeRawBufferPointer(rebasing: piece[..<count]))
            offset += Int64(count)
        }
        _ = try file.commit()
    }

    private static func cannotWait(in folder: String, _ reason: String) -> CommandFailure {
        .usage("cannot keep the file in “\(folder)” until it is whole: \(reason); name another folder with TMPDIR")
    }
}
