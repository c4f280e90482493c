// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
public import FoundationEssentials

/// The directory of a ``TransferQueue``, for processes that do not own it: they may add and list transfers.
///
/// ```swift
/// try TransferDirectory(URL(filePath: "/var/lib/app/transfers")).add(.download(url, to: destination))
/// ```
///
/// All functions block while the disk is busy. On Linux the owner reads a new record at once; elsewhere when one of its
/// transfers ends, and when ``TransferQueue/rescan()`` is called. Without an owner, the next one reads it.
public struct TransferDirectory: Sendable {
    /// The contents of a directory.
    public struct Contents: Sendable {
        /// The transfers, in the order in which they were added, as last written by the owner.
        ///
        /// After the end of the owner, an interrupted transfer may still be ``Transfer/State/running``.
        public var transfers: [Transfer] = []

        /// The records that cannot be used.
        public var unreadable: [UnreadableTransfer] = []
    }

    /// The directory.
    public let url: URL

    private let store: TransferStore

    /// Opens the directory, or creates it and those above it.
    ///
    /// - Parameter url: Its file URL.
    /// - Throws: ``SessionError`` with ``SessionError/Code/transferQueueUnavailable``, ``SessionError/Code/storageFull`` or
    ///   ``SessionError/Code/storageFailed``.
    public init(_ url: URL) throws(SessionError) {
        self.url = url
        self.store = try TransferStore(url)
    }

    /// Adds a transfer, and returns when it is on the disk.
    ///
    /// A process that is killed before that leaves no record, or a complete one.
    ///
    /// - Parameter transfer: The transfer.
    /// - Returns: Its identity.
    /// - Throws: ``SessionError``: ``SessionError/Code/invalidURL``, ``SessionError/Code/invalidRequest`` for a
    ///   transfer that contains a secret or is too large, ``SessionError/Code/transferQueueFull``, and those of
    ///   ``init(_:)``.
    @discardableResult
    public func add(_ transfer: Transfer) throws(SessionError) -> Transfer.ID {
        try self.store.add(transfer, to: self.store.count(), at: Date.now).id
    }

    /// Returns the contents of the directory.
    ///
    /// - Returns: The transfers, and the records that cannot be used.
    /// - Throws: ``SessionError``: those of ``init(_:)``.
    public func contents() throws(SessionError) -> Contents {
        let (ids, others) = try self.store.identities()
        let moment = TransferMoment(instant: SessionClock.system.now, date: Date.now)
        var contents = Contents()
        contents.unreadable = others.map { UnreadableTransfer(self.url, $0, .broken) }
        for id in ids.prefix(TransferStore.largestCount) {
            do throws(TransferRecordFault) {
                contents.transfers.append(try self.store.read(id, at: moment).transfer)
            } catch {
                try error.throwShortage()
                contents.unreadable.append(UnreadableTransfer(self.url, "\(id)\(TransferStore.nameEnding)", error))
            }
        }
        return contents
    }
}

/// A record that cannot be used; it is left unchanged.
public struct UnreadableTransfer: Sendable, Hashable {
    /// The file.
    public let file: URL

    /// The version of the record, if another version of this library wrote it; nil if the file is not a record.
    public let version: Int?

    /// The reason, one sentence.
    public let reason: String

    init(_ folder: URL, _ name: String, _ fault: TransferRecordFault) {
        self.file = folder.appending(path: name, directoryHint: .notDirectory)
        switch fault {
        case .unreadable:
            self.version = nil
            self.reason = "the file cannot be read: it is no regular file, another user's, or too large"
        case .system(let error):
            self.version = nil
            self.reason = "the file could not \(error.action.rawValue): \(error.text)"
        case .broken:
            self.version = nil
            self.reason = "the content is no record of a transfer"
        case .unknownVersion(let version):
            self.version = version
            self.reason =
                "the record has version \(version), and this library knows version \(TransferRecord.currentVersion)"
        }
    }
}
