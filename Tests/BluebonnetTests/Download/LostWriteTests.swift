// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import Foundation
import Testing

@testable import Bluebonnet

/// What is left of a download when the system could not write bytes to the disk that it had accepted.
@Suite struct LostWriteTests {
    private let directory: TemporaryDirectory
    private let location: FileLocation

    init() throws {
        self.directory = try TemporaryDirectory()
        self.location = try #require(FileLocation(path: self.directory.file("a").path(percentEncoded: false)))
    }

    private func open(_ durability: DownloadPolicy.Durability) throws -> PartialDownload {
        PartialDownload(try PartialFile(at: self.location, continuing: PartialBytes.name), durability: durability)
    }

    @Test(
        .bug(id: "F796"),
        arguments: [(DownloadPolicy.Durability.commit, nil), (.none, nil), (.journal(every: 60), 100)]
            as [(DownloadPolicy.Durability, Int64?)]
    )
    func `only bytes that are known to be on the disk are kept`(
        _ durability: DownloadPolicy.Durability,
        _ kept: Int64?
    ) throws {
        var partial = try self.open(durability)
        try partial.begin(PartialBytes.journal(), isKept: true, verifying: [])
        for count in [100, 50] { try Data(count: count).withUnsafeBytes { try partial.write($0) } }
        partial.dropUnsynchronized()
        let remains = partial.settle(destination: self.directory.file("a"), isKept: true, isComplete: false)
        #expect(remains?.byteCount == kept)
        _ = consume partial
        #expect(try self.directory.names.count == (kept == nil ? 0 : 2))
        var next = try self.open(durability)
        let point = try next.resumePoint()
        #expect(point?.offset == kept)
    }

    @Test(
        .bug(id: "F796"),
        arguments: [
            (SystemError(.synchronize, EIO), nil), (SystemError(.synchronize, ENOSPC), nil),
            (SystemError(.synchronize, EIO, of: .journal), 100), (SystemError(.write, EIO), 100),
            (SystemError(.write, ENOSPC), 100),
        ] as [(SystemError, Int64?)]
    )
    func `bytes are doubtful after an error of the disk, and not after another one`(
        _ error: SystemError,
        _ kept: Int64?
    ) throws {
        try PartialBytes.write(100, in: self.directory)
        var storage = try DownloadStorage(
            DownloadPlan(
                request: Request(url: Peer.url("http://h/file")),
                destination: .file(self.directory.file("a")),
                options: [],
                policy: .resuming
            )
        )
        let remains = storage.settle(after: SessionError(error), isKept: false)
        #expect(remains?.byteCount == kept)
        _ = consume storage
        #expect(try self.directory.names.isEmpty == (kept == nil))
    }

    @Test(.bug(id: "F800")) func `a transfer whose file is at its destination has not failed`() async throws {
        let destination = self.directory.file("a")
        try Data(count: 5).write(to: destination)
        let error = SessionError(SystemError(.synchronize, EIO, of: .entry))
        #expect(error.code == .storageFailed)
        #expect(error.reason.hasPrefix("the file is at its destination, but its name could not be synchronized: "))
        let id = Transfer.ID(bitPattern: 1, 2)
        let transfer = Transfer.download(try Peer.url("http://h/file"), to: destination)
        var entry = TransferEntry(transfer.identified(by: id, added: .now))
        entry.start(try #require(FileNumber.ofRegularFile(at: self.location)?.number))
        let request = Request(url: transfer.url)
        let outcome = TransferOutcome(result: .failed(error), request: request, elapsed: .zero)
        await TransferVerdict(policy: .transfers).apply(outcome, to: &entry) {
            TransferMoment(instant: .now, date: .now)
        }
        #expect(entry.state == .finished)
        #expect(entry.transfer.progress == TransferProgress(completed: 5, total: 5))
    }
}
