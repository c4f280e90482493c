// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#ifndef BLUEBONNET_IMAGE_CODECS_H
#define BLUEBONNET_IMAGE_CODECS_H

#include <stddef.h>
#include <stdint.h>

// One interface over the system's picture libraries. libjpeg and libpng report errors with longjmp, which must not pass a frame of
// Swift: each function here sets its own target and returns a status. Nothing is printed, and no process-wide state is changed.

/// The formats that a library of the system reads.
typedef enum {
    BLUEBONNET_IMAGE_JPEG = 1,
    BLUEBONNET_IMAGE_PNG = 2,
    BLUEBONNET_IMAGE_WEBP = 3,
    BLUEBONNET_IMAGE_TIFF = 4,
    BLUEBONNET_IMAGE_HEIF = 5,
} bluebonnet_image_format;

typedef enum {
    BLUEBONNET_IMAGE_OK = 0,
    /// The library is not linked, or cannot decode this variant of its format.
    BLUEBONNET_IMAGE_UNSUPPORTED = 1,
    BLUEBONNET_IMAGE_MALFORMED = 2,
    BLUEBONNET_IMAGE_LIMIT = 3,
    BLUEBONNET_IMAGE_OUT_OF_MEMORY = 4,
    BLUEBONNET_IMAGE_CANCELLED = 5,
} bluebonnet_image_status;

typedef enum {
    BLUEBONNET_IMAGE_GRAY = 1,
    BLUEBONNET_IMAGE_RGB = 2,
    BLUEBONNET_IMAGE_CMYK = 3,
} bluebonnet_image_color_space;

typedef struct {
    /// The number of pixels that the file may declare.
    uint64_t pixel_count;
    /// What a library may allocate for itself, where it can be told so.
    uint64_t working_byte_count;
    /// The number of frames that are counted.
    uint32_t frame_count;
    /// Asked now and then while decoding; nonzero ends it. May be null.
    int (*is_cancelled)(void);
} bluebonnet_image_limits;

typedef struct {
    uint32_t width, height;
    /// The size of the rows that are read: smaller than the picture after `bluebonnet_image_scale`.
    uint32_t output_width, output_height;
    uint32_t frame_count;
    /// How often an animation is played; 0 is without end.
    uint32_t loop_count;
    uint32_t bits_per_component;
    /// How many rows are read at once: a multiple of this, or all that are left.
    uint32_t rows_at_once;
    bluebonnet_image_color_space color_space;
    int has_alpha;
} bluebonnet_image_info;

typedef struct bluebonnet_image_reader bluebonnet_image_reader;

/// Whether the library of a format is linked and can decode it.
int bluebonnet_image_is_available(bluebonnet_image_format format);

/// Reads the header of a picture. The bytes have to stay where they are until the reader is closed.
///
/// `message` takes up to `message_size` bytes of text, ended by NUL, in case of a failure.
bluebonnet_image_status bluebonnet_image_open(
    bluebonnet_image_format format, const uint8_t *bytes, size_t byte_count, const bluebonnet_image_limits *limits,
    bluebonnet_image_reader **reader, char *message, size_t message_size);

bluebonnet_image_info bluebonnet_image_get_info(const bluebonnet_image_reader *reader);

/// Asks for rows of a smaller picture, the longer side of which has at least `longest_side` pixels. Before the first read.
void bluebonnet_image_scale(bluebonnet_image_reader *reader, uint32_t longest_side);

/// Reads the next rows in RGBA with straight alpha, 4 * output_width bytes a row.
bluebonnet_image_status bluebonnet_image_read(
    bluebonnet_image_reader *reader, uint8_t *pixels, uint32_t row_count, char *message, size_t message_size);

/// Decodes the next frame of an animation in RGBA with straight alpha; `milliseconds` is how long it is shown.
bluebonnet_image_status bluebonnet_image_read_frame(
    bluebonnet_image_reader *reader, uint8_t *pixels, char *message, size_t message_size);

/// The time a frame is shown, 0 where the picture is not animated.
uint32_t bluebonnet_image_frame_milliseconds(bluebonnet_image_reader *reader, uint32_t frame);

void bluebonnet_image_close(bluebonnet_image_reader *reader);

#endif
