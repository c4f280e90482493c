// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

// System calls under names that no method of a type hides.

/// `read`, repeated while a signal interrupts it.
///
/// - Returns: The number of bytes, 0 at the end; -1 on an error, which `errno` has.
func systemRead(_ descriptor: CInt, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    while true {
        let count = read(descriptor, buffer.baseAddress, buffer.count)
        if count >= 0 || errno != EINTR { return count }
    }
}

/// `pwrite`, repeated while a signal interrupts it.
///
/// - Returns: The number of bytes, which may be fewer than given; -1 on an error, which `errno` has.
func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int {
    while true {
        let count = pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset))
        if count >= 0 || errno != EINTR { return count }
    }
}

/// Takes the exclusive lock of an open file, which ends with its last descriptor, without waiting for it.
///
/// - Returns: 0, or -1 on an error, which `errno` has.
func systemLock(_ descriptor: CInt) -> CInt {
    while true {
        let result = flock(descriptor, LOCK_EX | LOCK_NB)
        if result == 0 || errno != EINTR { return result }
    }
}

/// Gives up the lock of an open file, whoever else has it open.
func systemUnlock(_ descriptor: CInt) {
    while flock(descriptor, LOCK_UN) != 0, errno == EINTR {}
}
