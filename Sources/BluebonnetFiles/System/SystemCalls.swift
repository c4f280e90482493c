// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

// System calls under names that no method shadows.

/// Calls `read`, repeatedly if a signal interrupts it.
///
/// - Returns: The number of bytes, 0 at the end; -1 on an error, which is in `errno`.
func systemRead(_ descriptor: CInt, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    while true {
        let count = read(descriptor, buffer.baseAddress, buffer.count)
        if count >= 0 || errno != EINTR { return count }
    }
}

/// Calls `pwrite`, repeatedly if a signal interrupts it.
///
/// - Returns: The number of bytes, which may be fewer than given; -1 on an error, which is in `errno`.
func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int {
    while true {
        let count = pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset))
        if count >= 0 || errno != EINTR { return count }
    }
}

/// Acquires the exclusive lock of an open file without waiting; the lock ends with the last descriptor.
///
/// - Returns: 0, or -1 on an error, which is in `errno`.
func systemLock(_ descriptor: CInt) -> CInt {
    while true {
        let result = flock(descriptor, LOCK_EX | LOCK_NB)
        if result == 0 || errno != EINTR { return result }
    }
}

/// Releases the lock of an open file, even if other descriptors share it.
func systemUnlock(_ descriptor: CInt) {
    while flock(descriptor, LOCK_UN) != 0, errno == EINTR {}
}
