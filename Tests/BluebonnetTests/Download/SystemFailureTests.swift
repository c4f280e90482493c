// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

@testable import Bluebonnet

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

@Suite struct SystemFailureTests {
    @Test(arguments: [
        (ENOSPC, SessionError.Code.storageFull), (EDQUOT, .storageFull), (EFBIG, .storageFull), (EIO, .storageFailed),
        (EEXIST, .destinationExists), (ENOENT, .destinationUnavailable), (ENOTDIR, .destinationUnavailable),
        (EISDIR, .destinationUnavailable), (EACCES, .destinationUnavailable), (EROFS, .destinationUnavailable),
        (ENAMETOOLONG, .destinationUnavailable), (ELOOP, .destinationUnavailable), (EMFILE, .storageFailed),
    ])
    func `says what happened to a file`(_ number: CInt, _ code: SessionError.Code) throws {
        let directory = try TemporaryDirectory()
        let place = try DownloadDestination(directory.file("a"), options: [])
        let error = SystemFailure("be written", number).destinationError(place)
        #expect(error.code == code)
        #expect(error.reason.hasSuffix(" ") == false)
        #expect(error.reason.contains("error \(number)") == false)
    }
}
