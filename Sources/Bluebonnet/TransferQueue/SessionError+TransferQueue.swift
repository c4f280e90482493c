// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension SessionError {
    /// The error for a system call that failed in the folder of a queue.
    init(ofTransferQueue error: SystemError) {
        switch error.code {
        case EWOULDBLOCK where error.action == .lock:
            self.init(
                .transferQueueInUse,
                reason:
                    "another queue has this folder, in this process or in another one; TransferDirectory can add to it"
            )
        case ENOSPC, EDQUOT:
            self.init(.storageFull, reason: "a record of the queue could not \(error.action.rawValue): no space left")
        case ENOENT, ENOTDIR, EISDIR, EACCES, EPERM, EROFS, ENAMETOOLONG, ELOOP, ESTALE:
            self.init(
                .transferQueueUnavailable,
                reason: "the folder of the queue, or a record in it, could not \(error.action.rawValue): \(error.text)"
            )
        default:
            self.init(
                .storageFailed,
                reason: "a record of the queue could not \(error.action.rawValue): \(error.text)",
                underlying: error
            )
        }
    }

    /// Whether a file could not be used because there was no descriptor or no memory for it, which passes like a full
    /// disk.
    var isShortage: Bool {
        switch self.underlying {
        case let error as SystemError: error.isShortage
        case FileFault.system(let error)?: error.isShortage
        default: false
        }
    }

    /// The error for an unknown identity.
    static func noTransfer(_ id: Transfer.ID) -> SessionError {
        SessionError(.transferNotFound, reason: "the queue has no transfer \(id)")
    }

    /// The error for an attempt that waits for the end of all attempts.
    static var waitsForOwnAttempt: SessionError {
        SessionError(
            .wouldDeadlock,
            reason: "a function that an attempt of the queue calls cannot wait until the queue is idle"
        )
    }
}

extension TransferRecordFault {
    /// - Throws: The error for a record that was not read because no descriptor or no memory was left, which says
    ///   nothing about the record.
    func throwShortage() throws(SessionError) {
        guard case .system(let error) = self, error.isShortage else { return }
        throw SessionError(ofTransferQueue: error)
    }
}
