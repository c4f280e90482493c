// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CFileSystem
#endif
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Sets the length of an open file and reserves space for it, so that a full disk is detected now and not later.
///
/// Existing bytes are kept. If the file system cannot reserve space, only the length is set.
///
/// - Throws: ``SystemError``: `ENOSPC` if there is not enough space; the file keeps its former length then.
func allocateFile(_ descriptor: CInt, byteCount: Int64) throws(SystemError) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw SystemError(.inspect, errno) }
    try setLength(of: descriptor, to: byteCount)
    let code = reserve(descriptor, byteCount, allocated: Int64(status.st_blocks) * 512)
    guard code != 0, ![EINVAL, ENOTSUP, EOPNOTSUPP, ENOSYS, ENODEV].contains(code) else { return }
    try setLength(of: descriptor, to: Int64(status.st_size))
    throw SystemError(.write, code)
}

/// Truncates or extends an open file to a length.
func setLength(of descriptor: CInt, to byteCount: Int64) throws(SystemError) {
    while ftruncate(descriptor, off_t(byteCount)) != 0 {
        guard errno == EINTR else { throw SystemError(.write, errno) }
    }
}

#if canImport(Darwin)
private func reserve(_ descriptor: CInt, _ byteCount: Int64, allocated: Int64) -> CInt { ENOTSUP }
#else
private func reserve(_ descriptor: CInt, _ byteCount: Int64, allocated: Int64) -> CInt {
    guard byteCount > 0 else { return 0 }
    if let room = roomInMemory(descriptor) { return byteCount - allocated <= room ? 0 : ENOSPC }
    // Not `posix_fallocate`, which writes to every block if the file system cannot reserve space.
    while fallocate(descriptor, 0, 0, off_t(byteCount)) != 0 {
        guard errno == EINTR else { return errno }
    }
    return 0
}

/// Returns the space left in an in-memory file system; nil for any other.
///
/// Reserving space there fills it with zeros, which takes as long as writing the file. So the space is only compared.
private func roomInMemory(_ descriptor: CInt) -> Int64? {
    var system = statfs()
    guard fstatfs(descriptor, &system) == 0, Int64(system.f_type) == Int64(TMPFS_MAGIC) else { return nil }
    // Without a limit, its size is reported as 0.
    guard system.f_blocks > 0 else { return .max }
    return Int64(clamping: system.f_bavail) * Int64(system.f_bsize)
}
#endif
