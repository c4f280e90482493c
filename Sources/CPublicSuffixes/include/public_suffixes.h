/* Copyright (c) 2026 the Bluebonnet project authors
 * SPDX-License-Identifier: Apache-2.0
 */

#ifndef BLUEBONNET_PUBLIC_SUFFIXES_H
#define BLUEBONNET_PUBLIC_SUFFIXES_H

#include <stddef.h>

/* The rules of the Public Suffix List; scripts/generate-public-suffixes describes their form. */
const char *bluebonnet_public_suffixes(void);

/* The number of bytes, without the NUL at the end. */
size_t bluebonnet_public_suffixes_size(void);

#endif
