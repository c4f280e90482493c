// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import Foundation
import HTTPTypes
import Testing

@testable import Bluebonnet

/// The record of a transfer: what goes into it comes out again, and what is no record is refused.
@Suite struct TransferRecordTests {
    private static let id = Transfer.ID(bitPattern: 0x0123, 0xFEDC_BA98)
    private static let start = SessionClock.Instant.now
    private static let moment = TransferMoment(
        instant: Self.start,
        date: Date(timeIntervalSince1970: 1_800_000_000)
    )

    private static func entry(_ transfer: Transfer? = nil) throws -> TransferEntry {
        let usual = Transfer.download(
            try Peer.url("https://h/file?page=2"),
            to: URL(filePath: "/srv/a"),
            label: "weights"
        )
        return TransferEntry((transfer ?? usual).identified(by: Self.id, added: Self.moment.date))
    }

    private static func reread(_ entry: TransferEntry, at moment: TransferMoment = Self.moment) throws -> TransferEntry
    {
        try TransferRecord.entry(TransferRecord(entry).encoded(), id: entry.id, at: moment)
    }

    /// The record without the time at which it is read.
    private static func text(_ entry: TransferEntry) throws -> String {
        String(decoding: try TransferRecord(entry).encoded(), as: UTF8.self)
    }

    private static func policies() throws -> [DownloadPolicy] {
        var all = DownloadPolicy(digest: try ContentDigest(.sha256, bytes: [UInt8](repeating: 7, count: 32)))
        all.durability = .journal(every: 4096)
        all.maximumByteCount = 1 << 40
        all.verifiesResponseDigests = false
        all.parallelism = 5
        all.smallestRangeByteCount = 99
        all.validation = ResponseValidation(statusCodes: [200], contentTypes: ["application/pdf"])
        var none = DownloadPolicy()
        none.durability = .none
        return [DownloadPolicy(), all, none]
    }

    private static func uploads() -> [ResumableUpload] {
        var tus = ResumableUpload.tus(TusOptions(metadata: ["filename": "é\u{0}"], parallelism: 3))
        tus.pieceSize = .fixed(77)
        tus.journalDirectory = URL(filePath: "/var/journals/", directoryHint: .isDirectory)
        tus.whenLost = .fail
        tus.whenChanged = .startAgain
        tus.digestsPieces = true
        tus.digestsSource = true
        tus.removesFile = true
        var draft = ResumableUpload.draft(.v5)
        draft.pieceSize = .whole
        return [.tus(), tus, draft]
    }

    @Test func `every setting of a download is kept`() throws {
        for policy in try Self.policies() {
            let file = URL(filePath: "/srv/ä b#?%.iso")
            let transfer = Transfer.download(
                try Peer.url("http://h:81/x"),
                to: file,
                destinationOptions: [.overwrite, .createDirectories],
                policy: policy,
                priority: .low
            )
            let entry = try Self.entry(transfer)
            let read = try Self.reread(entry)
            guard case .download(let destination, let options, let kept) = read.transfer.work else {
                Issue.record("another kind of work")
                return
            }
            #expect(destination.path(percentEncoded: false) == "/srv/ä b#?%.iso")
            #expect(options == [.overwrite, .createDirectories])
            #expect(kept.resume == .always)
            #expect(kept.digest == policy.digest)
            #expect(kept.durability == policy.durability)
            #expect(kept.maximumByteCount == policy.maximumByteCount)
            #expect(kept.verifiesResponseDigests == policy.verifiesResponseDigests)
            #expect(kept.parallelism == policy.parallelism)
            #expect(kept.smallestRangeByteCount == policy.smallestRangeByteCount)
            #expect(kept.validation == policy.validation)
            #expect(read.transfer.priority == .low)
            #expect(try Self.text(read) == Self.text(entry))
        }
    }

    @Test func `every setting of an upload is kept`() throws {
        for upload in Self.uploads() {
            let entry = try Self.entry(
                .upload(URL(filePath: "/srv/a"), to: try Peer.url("https://h/files"), method: .put, resuming: upload)
            )
            guard case .upload(let file, let method, let kept) = try Self.reread(entry).transfer.work else {
                Issue.record("another kind of work")
                return
            }
            #expect(file == URL(filePath: "/srv/a"))
            #expect(method == .put)
            #expect(String(describing: kept) == String(describing: upload))
        }
    }

    /// Only a URL that the program's function has changed is written, and no part of it that may be a secret.
    @Test(
        .bug(id: "F396"),
        arguments: [
            ("https://h/files?page=2&sig=s3cret", nil), ("https://ada:s3cret@h/files", nil),
            ("https://h/other", "/other"),
            ("http://ada:s3cret@h:81/files?sig=s3cret#s3cret", "/files"),
            ("https://h/" + .init(repeating: "a", count: 4096), nil),
        ] as [(String, String?)]
    )
    func `the URL of an attempt is kept where it differs, without secrets`(_ url: String, _ path: String?) throws {
        var entry = try Self.entry(.upload(URL(filePath: "/a"), to: try Peer.url("https://h/files"), resuming: .tus()))
        entry.start(nil)
        let hasChanged = entry.reach(.prepared(try Peer.url(url)))
        let isNew = entry.reach(.prepared(try Peer.url(url)))
        #expect(hasChanged == (path != nil) && !isNew)
        #expect(try !Self.text(entry).contains("s3cret"))
        #expect(try Self.reread(entry).target?.path() == path)
        #expect(try Self.text(Self.reread(entry)) == Self.text(entry))
        _ = entry.cancel()
        entry.discarded()
        #expect(entry.target == nil)
    }

    /// What a program or a server may do to a transfer.
    private enum Step: CaseIterable {
        case pause, resume, cancel, discard, start, interrupt, finish, keep, retry, giveUp, raise
    }

    private static func apply(_ step: Step, _ number: Int, to entry: inout TransferEntry) {
        let failure = Transfer.Failure(code: .timedOut, reason: "no \u{1F600} answer\nin \(number) s", status: number)
        switch step {
        case .pause: _ = entry.pause()
        case .resume: _ = entry.resume()
        case .cancel: _ = entry.cancel()
        case .discard: if entry.state == .cancelled { entry.discarded() }
        case .start: if entry.state == .waiting { entry.start(FileNumber(device: 1, inode: UInt64(number))) }
        // A restart does this by itself.
        case .interrupt: entry.interrupt()
        case .finish: if entry.state == .running { entry.finish(Int64(number)) }
        case .keep: entry.keep(Int64(number), of: number.isMultiple(of: 2) ? nil : Int64(number) * 2)
        case .retry, .giveUp:
            guard entry.state == .running else { return }
            entry.countFailure(hasMoved: number.isMultiple(of: 3))
            entry.fail(failure, retryAfter: step == .retry ? .milliseconds(number) : nil, at: Self.moment)
        case .raise: entry.transfer.priority = .high
        }
    }

    @Test func `a random history comes to the same with restarts at any places`() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            var (whole, restarted) = (try Self.entry(), try Self.entry())
            var history: [String] = []
            for _ in 0..<Int.random(in: 1...30, using: &random) {
                let (step, number) = (Step.allCases.randomElement(using: &random) ?? .pause, Int.random(in: 0...5000))
                history.append("\(step) \(number)")
                Self.apply(step, number, to: &whole)
                Self.apply(step, number, to: &restarted)
                if Bool.random(using: &random) {
                    restarted = try Self.reread(restarted)
                    history.append("restart")
                }
                #expect(try Self.text(restarted) == Self.text(whole), "\(history)")
                #expect(restarted.isDue(at: Self.start) == whole.isDue(at: Self.start), "\(history)")
                let late = Self.start.advanced(by: .seconds(10))
                #expect(restarted.isDue(at: late) == whole.isDue(at: late), "\(history)")
            }
        }
    }

    @Test(.bug(id: "F340"), arguments: [false, true])
    func `restarts that never get further are counted together`(_ isReread: Bool) throws {
        let failure = Transfer.Failure(code: .connectionClosed, reason: "", status: nil)
        var entry = try Self.entry()
        for attempt in 1...6 {
            entry.start(nil)
            entry.countFailure(hasMoved: entry.keep(attempt.isMultiple(of: 2) ? 30 : 60, of: nil))
            entry.fail(failure, retryAfter: .zero, at: Self.moment)
            #expect(entry.transfer.failedAttemptCount == attempt)
            if isReread { entry = try Self.reread(entry) }
        }
        #expect(entry.transfer.progress.completed == 30)
        // A request of the program in the course of an attempt does not change what was reached.
        entry.start(nil)
        var newer = entry
        let isPaused = newer.pause()
        var hasMoved = [entry.keep(50, of: nil)]
        entry.merge(newer, since: .running)
        #expect(isPaused && entry.state == .paused)
        hasMoved.append(entry.keep(60, of: nil))
        // Who resumes a transfer begins to count anew, with the bytes that are there.
        _ = entry.keep(40, of: nil)
        _ = entry.resume()
        hasMoved += [entry.keep(40, of: nil), entry.keep(41, of: nil)]
        _ = entry.cancel()
        entry.discarded()
        hasMoved.append(entry.keep(1, of: nil))
        #expect(hasMoved == [false, false, false, true, true])
    }

    /// A wait of a minute, and how the time of day has changed when it is read again.
    @Test(
        arguments: [
            (0, 60), (20, 40), (59, 1), (60, 0), (61, 0), (1_000_000_000, 0), (-5, 60), (-1_000_000_000, 60),
        ] as [(passed: Double, left: Double)]
    )
    func `a wait is never longer than it was meant to be, whatever the time of day becomes`(
        _ passed: Double,
        _ left: Double
    ) throws {
        var entry = try Self.entry()
        entry.start(nil)
        let failure = Transfer.Failure(code: .timedOut, reason: "", status: nil)
        entry.fail(failure, retryAfter: .seconds(60), at: Self.moment)
        let later = TransferMoment(instant: Self.start, date: Self.moment.date.addingTimeInterval(passed))
        let read = try Self.reread(entry, at: later)
        #expect(read.isDue(at: Self.start.advanced(by: .seconds(left))))
        if left > 0 { #expect(!read.isDue(at: Self.start.advanced(by: .seconds(left) - .milliseconds(1)))) }
    }

    /// A change to a record, and what it makes of it.
    struct Damage: Decodable, Sendable, CustomTestStringConvertible {
        var name: String
        /// Text of the record, and what stands in its place.
        var replace: String
        var with: String
        /// The version that is not known; nil for a broken record, 1 for a good one.
        var version: Int?

        var testDescription: String { self.name }
    }

    @Test(arguments: try Fixture.load("transfer-records", as: [Damage].self))
    func `a damaged record is told from a sound one and from one of another version`(_ damage: Damage) throws {
        let text = try Self.text(Self.entry())
        try #require(text.contains(damage.replace), "\(text)")
        let bytes = Array(text.replacingOccurrences(of: damage.replace, with: damage.with).utf8)
        let result = Result { () throws(TransferRecordFault) in
            try TransferRecord.entry(bytes, id: Self.id, at: Self.moment)
        }
        switch (result, damage.version) {
        case (.success(let entry), 1?):
            // Nothing in it may trap when it is used.
            #expect(try !Self.text(entry).isEmpty)
            _ = entry.isDue(at: Self.start)
        case (.failure(.broken), nil): break
        case (.failure(.unknownVersion(let found)), let version?): #expect(found == version)
        default: Issue.record("\(damage.name): \(result)")
        }
    }

    @Test func `a record that is cut at any byte is broken`() throws {
        let bytes = try TransferRecord(Self.entry()).encoded()
        for count in 0..<bytes.count {
            #expect(throws: TransferRecordFault.broken) {
                try TransferRecord.entry(Array(bytes[..<count]), id: Self.id, at: Self.moment)
            }
        }
    }

    @Test(.bug(id: "F604"), arguments: [EMFILE, ENFILE, ENOMEM, ENOSPC, EIO])
    func `a lack of descriptors or memory is followed by another attempt, as a full disk is`(_ code: CInt) async throws
    {
        let (failed, missing) = (SystemError(.create, code), FileFault.system(SystemError(.open, code)))
        var errors = [
            SessionError(failed), SessionError(ofUploadJournal: failed), SessionError(ofTransferQueue: failed),
        ]
        // A file that is read needs no room.
        if code != ENOSPC { errors.append(SessionError(ofUploadSource: missing)) }
        for error in errors {
            var entry = try Self.entry()
            entry.start(nil)
            let request = Request(url: entry.transfer.url)
            let outcome = TransferOutcome(result: .failed(error), request: request, elapsed: .zero)
            await TransferVerdict(policy: .transfers).apply(outcome, to: &entry) { Self.moment }
            #expect(entry.transfer.state == (code == EIO ? .failed : .waiting), "\(error)")
        }
    }

    @Test func `a reason loses control characters and what is too long`() throws {
        var entry = try Self.entry()
        entry.start(nil)
        let reason = "a\u{1B}[31m\n" + String(repeating: "é", count: 5000)
        entry.fail(.init(code: .storageFull, reason: reason, status: 507), retryAfter: nil, at: Self.moment)
        let failure = try #require(try Self.reread(entry).transfer.failure)
        #expect(failure.code == .storageFull)
        #expect(failure.status == 507)
        #expect(failure.reason.hasPrefix("a[31mé"))
        #expect(failure.reason.utf8.count == 1023)
    }

    @Test(
        arguments: [
            "https://h/a", "https://h/a?page=2&q=b", "https://h/a?monkey=1&code=b", "https://h/a?x=https://b@c/",
            "https://h/a#token=1",
        ]
    )
    func `a URL without secrets may be written`(_ url: String) throws {
        try TransferSecrets.check(.download(try Peer.url(url), to: URL(filePath: "/a")))
    }

    @Test(
        arguments: [
            "https://ada:pw@h/a", "https://ada@h/a", "https://h/a?access_token=1", "https://h/a?X-Amz-Signature=1",
            "https://h/a?x=1&sig=2", "https://h/a?KEY=2", "https://h/a?%6Bey=2", "https://h/a?api-key=",
            "https://h/a?jwt=1",
        ]
    )
    func `a URL with secrets is refused`(_ url: String) throws {
        let error = #expect(throws: SessionError.self) {
            try TransferSecrets.check(.download(try Peer.url(url), to: URL(filePath: "/a")))
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.reason.contains("pw") == false)
    }

    @Test func `a fragment is not kept`() throws {
        let url = try Peer.url("http://h/f?a=1#access_token=s3cret")
        #expect(Transfer.download(url, to: URL(filePath: "/a")).url.absoluteString == "http://h/f?a=1")
        #expect(Transfer.upload(URL(filePath: "/a"), to: url, resuming: .tus()).url.absoluteString == "http://h/f?a=1")
    }

    @Test(arguments: ["ftp://h/a", "/a", "https:///a"]) func `a URL that cannot be asked is refused`(
        _ url: String
    ) throws {
        #expect(throws: SessionError(.invalidURL, reason: "")) {
            try TransferSecrets.check(.download(try Peer.url(url), to: URL(filePath: "/a")))
        }
    }
}
