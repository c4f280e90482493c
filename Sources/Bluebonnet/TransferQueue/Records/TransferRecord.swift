// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import FoundationEssentials

/// The content of the file that a queue keeps for each transfer, in JSON.
///
/// It contains no header field, no user information and no query that looks like a secret.
struct TransferRecord: Codable, Sendable {
    static let currentVersion = 1
    /// The longest label and the longest reason, in bytes.
    static let longestLabel = 4096
    private static let longestReason = 1024

    struct Failure: Codable {
        var code: String
        var reason: String
        var status: Int?
    }

    /// The one member that every version has.
    private struct Version: Decodable {
        var version: Int
    }

    var version = Self.currentVersion
    var id: String
    var url: URL
    var download: TransferDownloadRecord?
    var upload: TransferUploadRecord?
    var label: String?
    /// Milliseconds since 1970.
    var added: Int64
    var priority: Transfer.Priority
    var state: Transfer.State
    var byteCount: Int64
    var totalByteCount: Int64?
    /// The largest number of bytes that were present; nil if there have not been more than now.
    var furthestByteCount: Int64?
    var failedAttempts: Int
    /// Milliseconds since 1970.
    var nextStart: Int64?
    /// Milliseconds.
    var delay: Int64
    var isBegun: Bool
    var failure: Failure?
    var partial: FileNumber?
    /// The URL of the last attempt's upload; nil for that of the transfer.
    var target: URL?

    init(_ entry: TransferEntry) {
        let transfer = entry.transfer
        self.id = transfer.id.description
        self.url = transfer.url
        switch transfer.work {
        case .download(let destination, let options, let policy):
            self.download = TransferDownloadRecord(destination, options, policy)
        case .upload(let file, let method, let upload):
            self.upload = TransferUploadRecord(file, method, upload)
        }
        self.label = transfer.label
        self.added = Self.milliseconds(transfer.added)
        self.priority = transfer.priority
        self.state = transfer.state
        self.byteCount = transfer.progress.completed
        self.totalByteCount = transfer.progress.total
        let furthest = entry.furthestByteCount
        self.furthestByteCount = furthest > transfer.progress.completed ? furthest : nil
        self.failedAttempts = transfer.failedAttemptCount
        self.nextStart = transfer.nextStart.map(Self.milliseconds)
        self.delay = Int64(entry.delay / .milliseconds(1))
        self.isBegun = entry.isBegun
        self.failure = transfer.failure.map { failure in
            Failure(
                code: failure.code.description,
                reason: Self.shortened(failure.reason),
                status: failure.status
            )
        }
        self.partial = entry.partial
        self.target = entry.target
    }

    /// Encodes the record.
    ///
    /// - Throws: `SessionError` with `invalidRequest` if it has more bytes than allowed.
    func encoded() throws(SessionError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else {
            throw SessionError(.invalidRequest, reason: "the transfer cannot be written as JSON")
        }
        guard data.count <= JournalFile.largest else {
            throw SessionError(
                .invalidRequest,
                reason: "the record of the transfer would have more than \(JournalFile.largest) bytes"
            )
        }
        return Array(data)
    }

    /// Parses a record.
    ///
    /// - Parameters:
    ///   - bytes: The content of the file.
    ///   - id: The identity in the file's name.
    ///   - moment: The time now.
    /// - Returns: The entry.
    /// - Throws: ``TransferRecordFault``.
    static func entry(
        _ bytes: [UInt8],
        id: Transfer.ID,
        at moment: TransferMoment
    ) throws(TransferRecordFault) -> TransferEntry {
        let (decoder, data) = (JSONDecoder(), Data(bytes))
        guard let version = (try? decoder.decode(Version.self, from: data))?.version else { throw .broken }
        guard version == Self.currentVersion else { throw .unknownVersion(version) }
        guard let record = try? decoder.decode(Self.self, from: data),
            record.id.utf8.elementsEqual(id.description.utf8),
            let entry = record.entry(id, at: moment)
        else { throw .broken }
        return entry
    }

    private func entry(_ id: Transfer.ID, at moment: TransferMoment) -> TransferEntry? {
        guard let work = self.work, self.byteCount >= 0, self.totalByteCount ?? 0 >= 0, self.failedAttempts >= 0,
            self.label?.utf8.count ?? 0 <= Self.longestLabel
        else { return nil }
        var transfer = Transfer(
            id,
            self.url,
            work,
            priority: self.priority,
            label: self.label,
            added: Self.date(self.added)
        )
        transfer.state = self.state
        transfer.progress = TransferProgress(completed: self.byteCount, total: self.totalByteCount)
        transfer.failedAttemptCount = min(self.failedAttempts, TransferEntry.mostFailures)
        transfer.nextStart = self.nextStart.map(Self.date)
        transfer.failure = self.failure.map { failure in
            Transfer.Failure(
                code: SessionError.Code(name: failure.code) ?? .transportFailed,
                reason: Self.shortened(failure.reason),
                status: failure.status
            )
        }
        return TransferEntry(
            transfer,
            isBegun: self.isBegun,
            partial: self.partial,
            target: self.target,
            furthestByteCount: self.furthestByteCount ?? 0,
            delay: .milliseconds(self.delay),
            at: moment
        )
    }

    private var work: Transfer.Work? {
        switch (self.download, self.upload) {
        case (let download?, nil): download.work
        case (nil, let upload?): upload.work
        default: nil
        }
    }

    // MARK: Values

    /// A time in milliseconds, limited to the farthest ones so that no conversion traps.
    private static func milliseconds(_ date: Date) -> Int64 {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        return milliseconds.isNaN ? 0 : Int64(min(max(milliseconds, -Self.farthest), Self.farthest))
    }

    private static func date(_ milliseconds: Int64) -> Date {
        Date(timeIntervalSince1970: min(max(Double(milliseconds), -Self.farthest), Self.farthest) / 1000)
    }

    /// 100,000 years.
    private static let farthest = 3_155_760_000_000_000.0

    /// A reason without control characters, limited to the stored length.
    private static func shortened(_ reason: String) -> String {
        var text = String(
            String.UnicodeScalarView(reason.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F })
        )
        while text.utf8.count > Self.longestReason { text.unicodeScalars.removeLast() }
        return text
    }
}

/// Why a record cannot be used.
enum TransferRecordFault: Error, Equatable {
    /// The file cannot be read: it is not a regular file, belongs to another user, or is too large.
    case unreadable
    /// The system cannot read the file now.
    case system(SystemError)
    /// The content is not a record.
    case broken
    /// Another version of this library has written it.
    case unknownVersion(Int)
}
