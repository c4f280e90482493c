// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#ifndef BLUEBONNET_CFILESYSTEM_SHIM_H
#define BLUEBONNET_CFILESYSTEM_SHIM_H

#ifdef __linux__

#include <linux/magic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/vfs.h>

/// Reserves space; the C libraries declare the function only if their extensions are enabled.
int fallocate(int descriptor, int mode, off_t offset, off_t length);

/// Starts to write a file's bytes to the disk, if the flag is 2; the C libraries declare it as they do `fallocate`.
int sync_file_range(int descriptor, off_t offset, off_t length, unsigned int flags);

/// Starts to write bytes of a file to the disk, without waiting for it unless its queue is full.
///
/// Returns 0, or -1 with the error in `errno`.
static inline int file_begin_writeback(int descriptor, off_t offset, off_t length)
{
    const unsigned int sync_file_range_write = 2;
    return sync_file_range(descriptor, offset, length, sync_file_range_write);
}

/// A system call by its number; the C libraries declare the function only if their extensions are enabled.
long syscall(long number, ...);

/// Reports when a file was created.
///
/// Returns 0, or -1 if the system or the file system does not know it.
static inline int file_creation_time(int directory, const char *path, int flags, int64_t *seconds, uint32_t *nanoseconds)
{
#ifdef SYS_statx
    // The beginning of the kernel's `struct statx`, whose layout is fixed. C libraries declare it in different headers, or
    // not at all.
    struct {
        uint32_t mask;
        uint32_t before[19];
        int64_t seconds;
        uint32_t nanoseconds;
        uint32_t after[41];
    } status = {0};
    const unsigned int creation = 0x800;
    _Static_assert(sizeof(status) == 256, "The kernel writes 256 bytes.");
    _Static_assert(offsetof(__typeof__(status), seconds) == 80, "STATX_BTIME is at 80.");
    if (syscall(SYS_statx, directory, path, flags, creation, &status) == 0 && (status.mask & creation) != 0) {
        *seconds = status.seconds;
        *nanoseconds = status.nanoseconds;
        return 0;
    }
#endif
    return -1;
}

#endif
#endif
