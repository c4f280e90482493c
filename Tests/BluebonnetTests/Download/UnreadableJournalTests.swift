// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import Foundation
import Testing

@testable import Bluebonnet

/// Journals and records that the system cannot read for the moment: what they describe stays.
@Suite struct UnreadableJournalTests {
    private static func plan(_ path: String) throws -> DownloadPlan {
        DownloadPlan(
            request: Request(url: try Peer.url("http://h/file")),
            destination: .file(URL(filePath: path)),
            options: [],
            policy: .resuming
        )
    }

    private static func ledger(_ path: String) throws -> UploadLedger {
        let journal = UploadJournal(
            target: "http://h/files",
            dialect: "tus-1.0.0",
            source: FileIdentity(byteCount: 10, seconds: 1, nanoseconds: 2, inode: 3),
            parts: [.init(from: 0, to: 10, url: "http://h/a", offset: 4)]
        )
        let location = try #require(FileLocation(path: path))
        return try UploadLedger(at: location, name: ".upload", fresh: journal, isSame: { _ in true }, call: nil)
    }

    @Test(.bug(id: "F797"))
    func `the bytes of a download stay if no descriptor is left for their journal`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("a").path(percentEncoded: false)
        try PartialBytes.write(100, in: directory)
        let names = try directory.names
        await #expect(processExitsWith: .success) { [path = path as String] in
            let plan = try UnreadableJournalTests.plan(path)
            // One for the directory, and one for the partial file.
            let error = DescriptorShortage.run(leaving: 2) {
                #expect(throws: SessionError.self) { _ = try DownloadStorage(plan).place }
            }
            #expect(error?.code == .storageFailed)
            #expect(error?.isShortage == true)
        }
        #expect(try directory.names == names)
        let point = try DownloadStorage(Self.plan(path)).point
        #expect(point?.offset == 100)
    }

    /// With one descriptor the directory can be opened; the partial file, which is there, cannot.
    @Test(.bug(id: "F932"), arguments: [0, 1])
    func `a partial file that no descriptor is left for is not in the way of the download`(_ count: Int) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("a").path(percentEncoded: false)
        try PartialBytes.write(100, in: directory)
        let names = try directory.names
        await #expect(processExitsWith: .success) { [path = path as String, count = count as Int] in
            let plan = try UnreadableJournalTests.plan(path)
            let error = DescriptorShortage.run(leaving: count) {
                #expect(throws: SessionError.self) { _ = try DownloadStorage(plan).place }
            }
            #expect(error?.code == .storageFailed)
            #expect(error?.isShortage == true)
        }
        #expect(try directory.names == names)
    }

    @Test(.bug(id: "F797"))
    func `the state of an upload stays if no descriptor is left for its journal`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("a").path(percentEncoded: false)
        let first = try Self.ledger(path)
        try await first.begin(first.journal.parts, UploadCapabilities(), restart: nil)
        await first.release()
        await #expect(processExitsWith: .success) { [path = path as String] in
            let error = DescriptorShortage.run(leaving: 2) {
                #expect(throws: SystemError.self) { try UnreadableJournalTests.ledger(path) }
            }
            #expect(error?.isShortage == true)
        }
        let next = try Self.ledger(path)
        #expect(await next.opening == .resumed)
    }

    @Test(.bug(id: "F797"))
    func `a record that is not read for want of a descriptor is not unreadable`() async throws {
        let directory = try TemporaryDirectory()
        let folder = try TransferDirectory(directory.url)
        try folder.add(.download(Peer.url("http://h/"), to: directory.file("a")))
        await #expect(processExitsWith: .success) { [path = directory.url.path(percentEncoded: false) as String] in
            let store = try TransferStore(URL(filePath: path))
            let id = try #require(try store.identities().ids.first)
            let moment = TransferMoment(instant: .now, date: .now)
            let fault = DescriptorShortage.run(leaving: 0) {
                #expect(throws: TransferRecordFault.self) { try store.read(id, at: moment) }
            }
            #expect(fault == .system(SystemError(.open, EMFILE, of: .journal)))
            #expect(throws: SessionError(.storageFailed, reason: "")) { try fault?.throwShortage() }
        }
        #expect(try folder.contents().transfers.count == 1)
    }

    @Test(.bug(id: "F797")) func `a record that cannot be read says why`() throws {
        let fault = TransferRecordFault.system(SystemError(.read, EIO, of: .journal))
        try fault.throwShortage()
        let transfer = UnreadableTransfer(URL(filePath: "/q"), "a", fault)
        #expect(transfer.reason == "the file could not be read: Input/output error")
    }
}

/// A partial file and its journal, as an interrupted download leaves them.
enum PartialBytes {
    static let name = ".a.bluebonnet-part"

    static func journal() throws -> DownloadJournal {
        let text =
            #"{"version":1,"source":"http://h/file","entityTag":"\"a\"","byteCount":1000,"digests":[],"ranges":[]}"#
        var journal = try #require(DownloadJournal(Array(text.utf8)))
        journal.boot = BootIdentity.current
        return journal
    }

    /// Writes both for the destination `a` in a directory.
    static func write(_ count: Int, in directory: TemporaryDirectory) throws {
        try Data(count: count).write(to: directory.file(Self.name))
        try Data(try Self.journal().encoded()).write(to: directory.file("\(Self.name).journal"))
    }
}
