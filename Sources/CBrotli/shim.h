// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#ifndef BLUEBONNET_CBROTLI_SHIM_H
#define BLUEBONNET_CBROTLI_SHIM_H

#include <brotli/decode.h>

#endif
