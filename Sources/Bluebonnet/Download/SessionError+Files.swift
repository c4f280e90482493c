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
    /// The error for a system call that failed on the file of a download.
    init(_ error: SystemError) {
        if case .partialFile(let name) = error.subject {
            // A hidden file: without its name nobody finds it.
            self.init(
                .destinationUnavailable,
                reason:
                    "the partial file “\(name)” in the destination's directory could not \(error.action.rawValue):"
                    + " \(error.text)"
            )
            return
        }
        switch error.action {
        case _ where error.subject == .entry:
            self.init(
                .storageFailed,
                reason:
                    "the file is at its destination, but its name could not \(error.action.rawValue): \(error.text)",
                underlying: error
            )
        case _ where error.subject == .movedDirectory:
            self.init(
                .destinationUnavailable,
                reason:
                    "the destination's directory was moved or replaced during the download; the file is complete, and"
                    + " is where that directory is now"
            )
        // Nothing is wrong with the destination itself, unless its directory has been removed.
        case _ where error.subject == .journal && error.code != ENOENT: self.init(inStorage: error)
        case .lock where error.code == EWOULDBLOCK:
            self.init(
                .destinationInUse,
                reason: "another download to the same destination is under way, in this process or in another one"
            )
        case .rename where error.code == ENOENT:
            // The directory is open; with it, the file would have been removed as well.
            self.init(.storageFailed, reason: "another program has removed the partial file")
        case .rename where error.code == ENOTSUP:
            self.init(
                .destinationUnavailable,
                reason: "there is a device, pipe or socket at the destination, which no file replaces"
            )
        case .open, .create, .rename: self.init(atDestination: error)
        case .inspect, .read, .write, .synchronize, .lock, .remove: self.init(inStorage: error)
        }
    }

    /// Whether the system may have lost bytes of the file that it had accepted.
    var isLossOfWrites: Bool {
        guard let error = self.underlying as? SystemError else { return false }
        return error.action == .synchronize && error.subject == .file
    }

    /// The error for a destination whose directory or name cannot be used.
    init(atDestination error: SystemError) {
        switch error.code {
        case EEXIST:
            self.init(
                .destinationExists,
                reason: "there is already a file at the destination; use the option overwrite to replace it"
            )
        case ENOTDIR:
            self.init(
                .destinationUnavailable,
                reason: "something that is not a directory is in the place of one of the destination's directories"
            )
        case ENOENT:
            self.init(
                .destinationUnavailable,
                reason:
                    "the destination's directory does not exist; create it first, or use the option createDirectories"
            )
        case EISDIR:
            self.init(.destinationUnavailable, reason: "there is a directory at the destination; name a file in it")
        case EACCES, EPERM, EROFS, ENAMETOOLONG, ELOOP, ETXTBSY:
            self.init(
                .destinationUnavailable,
                reason: "the destination could not \(error.action.rawValue): \(error.text)"
            )
        default:
            self.init(inStorage: error)
        }
    }

    /// The error for a system call that failed on a file of cookies.
    init(ofCookieFile error: SystemError) {
        if error.code == ENOENT {
            self.init(
                .destinationUnavailable,
                reason: "the directory of the file of cookies does not exist; create it first"
            )
        } else {
            self.init(error)
        }
    }

    private init(inStorage error: SystemError) {
        let file = error.subject == .journal ? "journal of the partial file" : "file"
        let failure = "the \(file) could not \(error.action.rawValue)"
        switch error.code {
        case ENOSPC, EDQUOT:
            self.init(.storageFull, reason: "\(failure): there is no space left for it", underlying: error)
        case EFBIG:
            self.init(.storageFull, reason: "\(failure): the file system takes no file of this size")
        default:
            self.init(.storageFailed, reason: "\(failure): \(error.text)", underlying: error)
        }
    }
}
