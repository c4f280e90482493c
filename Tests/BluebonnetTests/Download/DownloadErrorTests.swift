// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import BluebonnetFiles
import Testing

@testable import Bluebonnet

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

@Suite struct DownloadErrorTests {
    @Test(arguments: [
        (ENOSPC, SessionError.Code.storageFull), (EDQUOT, .storageFull), (EFBIG, .storageFull), (EIO, .storageFailed),
        (EEXIST, .destinationExists), (ENOENT, .destinationUnavailable), (ENOTDIR, .destinationUnavailable),
        (EISDIR, .destinationUnavailable), (EACCES, .destinationUnavailable), (EROFS, .destinationUnavailable),
        (ENAMETOOLONG, .destinationUnavailable), (ELOOP, .destinationUnavailable), (EMFILE, .storageFailed),
    ])
    func `a failed system call at the destination has an error of its own`(_ number: CInt, _ code: SessionError.Code) {
        let error = SessionError(SystemError(.create, number))
        #expect(error.code == code)
        #expect(error.reason.hasSuffix(" ") == false)
        #expect(error.reason.contains("error \(number)") == false)
    }
}
