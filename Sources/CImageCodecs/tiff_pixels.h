// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#ifndef BLUEBONNET_TIFF_PIXELS_H
#define BLUEBONNET_TIFF_PIXELS_H

#include <stddef.h>
#include <stdint.h>

#include <tiffio.h>

/// What libtiff knows of the pixels that it converts to RGBA, and the meaning of their alpha.
typedef struct {
    // The first member: libtiff passes its address to the functions that convert samples.
    TIFFRGBAImage image;
    int has_alpha;
    int is_premultiplied;
} bluebonnet_tiff_pixels;

/// Returns the number of samples of a pixel before the extra ones.
unsigned bluebonnet_tiff_color_count(uint16_t photometric);

/// Replaces libtiff's conversion of samples where it is wrong. Call it after `TIFFRGBAImageBegin`.
void bluebonnet_tiff_choose_conversion(bluebonnet_tiff_pixels *pixels);

/// Turns what the conversion left, one word per pixel, into RGBA with straight alpha, in place.
void bluebonnet_tiff_finish(const bluebonnet_tiff_pixels *pixels, uint8_t *bytes, size_t pixel_count);

#endif
