// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import BluebonnetSerialization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension SessionError {
    /// The error for a system call that failed on the journal of an upload.
    init(ofUploadJournal error: SystemError) {
        switch error.code {
        case EWOULDBLOCK where error.action == .lock:
            self.init(
                .uploadInUse,
                reason:
                    "another upload of the same file to the same URL is under way, in this process or in another one"
            )
        case ENOENT where error.action == .rename && error.subject != .journal:
            self.init(
                .uploadInUse,
                reason: "another program has removed the files of the upload, and the same upload has begun once more"
            )
        case ENOSPC, EDQUOT:
            self.init(
                .storageFull,
                reason: "the journal of the upload could not \(error.action.rawValue): no space left"
            )
        default:
            let reason = "the journal of the upload could not \(error.action.rawValue): \(error.text)"
            self.init(
                .storageFailed,
                reason: error.isShortage ? reason : reason + "; journalDirectory names another folder for it",
                underlying: error
            )
        }
    }

    /// The error for a file that cannot be uploaded.
    init(ofUploadSource fault: FileFault) {
        self.init(.bodyFailed, reason: "the file cannot be uploaded: \(fault.text)", underlying: fault)
    }

    static var sourceChanged: SessionError {
        SessionError(
            .sourceChanged,
            reason: "the file has changed since its upload began; discard the upload, or let it start again"
        )
    }

    /// The error for a server that violates the protocol.
    static func uploadProtocol(_ reason: String, _ response: Response? = nil) -> SessionError {
        SessionError(.uploadProtocolFailed, reason: reason, response: response, isRequestSent: true)
    }
}
