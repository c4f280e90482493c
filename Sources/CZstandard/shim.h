// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#ifndef BLUEBONNET_CZSTANDARD_SHIM_H
#define BLUEBONNET_CZSTANDARD_SHIM_H

#include <zstd.h>
#include <zstd_errors.h>

#endif
