// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A system call that failed on a file of ours.
struct SystemFailure {
    /// What could not be done, after "the file could not".
    let action: String

    /// The value of `errno`.
    let number: CInt

    init(_ action: String, _ number: CInt) {
        self.action = action
        self.number = number
    }

    /// The error for a failure at the destination: its directory or its name.
    func destinationError(_ place: DownloadDestination) -> SessionError {
        switch self.number {
        case EEXIST:
            SessionError(.destinationExists, reason: "there is already a file at the destination")
        case ENOENT, ENOTDIR:
            SessionError(
                .destinationUnavailable,
                reason: "the destination's directory does not exist; make it first, or use the option createDirectories"
            )
        case EISDIR:
            SessionError(.destinationUnavailable, reason: "there is a directory at the destination; name a file in it")
        case EACCES, EPERM, EROFS, ENAMETOOLONG, ELOOP, ETXTBSY:
            SessionError(.destinationUnavailable, reason: "the destination could not \(self.action): \(self.text)")
        default:
            self.storageError
        }
    }

    /// The error for a failure of the disk.
    var storageError: SessionError {
        switch self.number {
        case ENOSPC, EDQUOT:
            SessionError(.storageFull, reason: "the file could not \(self.action): there is no space left for it")
        case EFBIG:
            SessionError(
                .storageFull,
                reason: "the file could not \(self.action): the file system takes no file of this size"
            )
        default:
            SessionError(.storageFailed, reason: "the file could not \(self.action): \(self.text)")
        }
    }

    private var text: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let address = buffer.baseAddress, strerror_r(self.number, address, buffer.count) == 0 else {
                return "error \(self.number)"
            }
            return String(cString: address)
        }
    }
}
