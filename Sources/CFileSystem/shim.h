// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#ifndef BLUEBONNET_CFILESYSTEM_SHIM_H
#define BLUEBONNET_CFILESYSTEM_SHIM_H

#ifdef __linux__

#include <linux/magic.h>
#include <sys/types.h>
#include <sys/vfs.h>

/// Reserves space; the C libraries declare the function only if their extensions are enabled.
int fallocate(int descriptor, int mode, off_t offset, off_t length);

#endif
#endif
