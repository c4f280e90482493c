// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#ifndef BLUEBONNET_CZLIB_SHIM_H
#define BLUEBONNET_CZLIB_SHIM_H

#include <zlib.h>

/// `inflateInit2` is a macro that adds the version and the structure's size; Swift cannot import it.
static inline int bluebonnet_inflate_init(z_stream *stream, int window_bits) {
    return inflateInit2(stream, window_bits);
}

/// `deflateInit2` is such a macro, too.
static inline int bluebonnet_deflate_init(z_stream *stream, int window_bits) {
    return deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
}

#endif
