// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#ifndef BLUEBONNET_IMAGE_READER_H
#define BLUEBONNET_IMAGE_READER_H

#include "image_codecs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The common members of every reader, which are its first. A function that a format does not need is null.
struct bluebonnet_image_reader {
    bluebonnet_image_info info;
    bluebonnet_image_limits limits;
    const uint8_t *bytes;
    size_t byte_count;
    char *message;
    size_t message_size;
    bluebonnet_image_status (*read)(bluebonnet_image_reader *, uint8_t *pixels, uint32_t row_count);
    bluebonnet_image_status (*read_frame)(bluebonnet_image_reader *, uint8_t *pixels);
    uint32_t (*frame_milliseconds)(bluebonnet_image_reader *, uint32_t frame);
    void (*scale)(bluebonnet_image_reader *, uint32_t longest_side);
    void (*close)(bluebonnet_image_reader *);
};

typedef bluebonnet_image_status bluebonnet_image_opener(bluebonnet_image_reader **reader, bluebonnet_image_reader *base);

bluebonnet_image_opener bluebonnet_jpeg_open, bluebonnet_png_open, bluebonnet_webp_open, bluebonnet_tiff_open, bluebonnet_heif_open;

/// Allocates a format's reader, which begins with a copy of `base`.
static inline void *bluebonnet_image_make(size_t size, const bluebonnet_image_reader *base) {
    bluebonnet_image_reader *reader = calloc(1, size);
    if (reader != NULL) *reader = *base;
    return reader;
}

static inline bluebonnet_image_status bluebonnet_image_fail(
    bluebonnet_image_reader *reader, bluebonnet_image_status status, const char *message) {
    if (reader->message != NULL && reader->message_size > 0) {
        snprintf(reader->message, reader->message_size, "%s", message);
    }
    return status;
}

// The largest width and height, whatever the limit is: one row of a PNG may take eight bytes per pixel several times.
// Image rejects larger pictures as well.
#define BLUEBONNET_IMAGE_LARGEST_SIDE 65535

/// Sets the size, and rejects one without pixels or beyond the limit.
static inline bluebonnet_image_status bluebonnet_image_set_size(bluebonnet_image_reader *reader, uint32_t width, uint32_t height) {
    if (width == 0 || height == 0) {
        return bluebonnet_image_fail(reader, BLUEBONNET_IMAGE_MALFORMED, "it has no pixels");
    }
    reader->info.width = reader->info.output_width = width;
    reader->info.height = reader->info.output_height = height;
    reader->info.rows_at_once = height;
    if (width > BLUEBONNET_IMAGE_LARGEST_SIDE || height > BLUEBONNET_IMAGE_LARGEST_SIDE) {
        return bluebonnet_image_fail(reader, BLUEBONNET_IMAGE_LIMIT, "it has more than 65,535 pixels a side");
    }
    if ((uint64_t)width * height > reader->limits.pixel_count) {
        return bluebonnet_image_fail(reader, BLUEBONNET_IMAGE_LIMIT, "it has more pixels than the limit");
    }
    return BLUEBONNET_IMAGE_OK;
}

static inline int bluebonnet_image_is_cancelled(const bluebonnet_image_reader *reader) {
    return reader->limits.is_cancelled != NULL && reader->limits.is_cancelled();
}

#endif
