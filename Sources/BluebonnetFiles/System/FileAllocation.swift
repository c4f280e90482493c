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

/// Gives an open file a length, and takes the room for it from the file system, so that a full disk shows now and not in the middle.
///
/// The bytes that it has stay. Where the file system cannot reserve room, the file gets the length alone.
///
/// - Throws: ``SystemError``: `ENOSPC` if there is no room; the file has its former length then.
func allocateFile(_ descriptor: CInt, byteCount: Int64) throws(SystemError) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw SystemError(.inspect, errno) }
    try setLength(of: descriptor, to: byteCount)
    let code = reserve(descriptor, byteCount, allocated: Int64(status.st_blocks) * 512)
    guard code != 0, ![EINVAL, ENOTSUP, EOPNOTSUPP, ENOSYS, ENODEV].contains(code) else { return }
    try setLength(of: descriptor, to: Int64(status.st_size))
    throw SystemError(.write, code)
}

/// Cuts an open file to a length, or extends it.
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
    // Not `posix_fallocate`, which writes to every block where the file system cannot reserve.
    while fallocate(descriptor, 0, 0, off_t(byteCount)) != 0 {
        guard errno == EINTR else { return errno }
    }
    return 0
}

/// The room that is left in a file system in memory; nil for every other.
///
/// To reserve room there means to fill it with zeros, which takes as long as to write the file. It is compared only.
private func roomInMemory(_ descriptor: CInt) -> Int64? {
    var system = statfs()
    guard fstatfs(descriptor, &system) == 0, Int64(system.f_type) == Int64(TMPFS_MAGIC) else { return nil }
    // Without a limit, its size is said to be nothing.
    guard system.f_blocks > 0 else { return .max }
    return Int64(clamping: system.f_bavail) * Int64(system.f_bsize)
}
#endif
