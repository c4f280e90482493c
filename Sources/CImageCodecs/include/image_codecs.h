// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#ifndef BLUEBONNET_IMAGE_CODECS_H
#define BLUEBONNET_IMAGE_CODECS_H

#include <stddef.h>
#include <stdint.h>

// One interface to the system's image libraries. libjpeg and libpng report errors with longjmp, which must not cross
// Swift's frames: each function sets its own jump target and returns a status. This code prints nothing and changes
// no global state; dav1d, which libheif calls for an AVIF, prints a line on the standard error if a file is damaged, and
// libheif offers no way to prevent that.

/// The formats that the image libraries decode.
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
    /// The largest number of pixels that a file may declare.
    uint64_t pixel_count;
    /// The number of bytes that a library may allocate for itself, if it can be limited.
    uint64_t working_byte_count;
    /// The maximum number of frames; a file with more is refused.
    uint32_t frame_count;
    /// Called regularly while decoding; a nonzero result cancels it. May be null.
    int (*is_cancelled)(void);
} bluebonnet_image_limits;

typedef struct {
    uint32_t width, height;
    /// The size of the decoded rows: smaller than the picture after `bluebonnet_image_scale`.
    uint32_t output_width, output_height;
    uint32_t frame_count;
    /// The number of times that an animation is played; 0 for an infinite loop.
    uint32_t loop_count;
    uint32_t bits_per_component;
    /// The number of rows to read at once: a multiple of this, or all remaining rows.
    uint32_t rows_at_once;
    bluebonnet_image_color_space color_space;
    int has_alpha;
} bluebonnet_image_info;

typedef struct bluebonnet_image_reader bluebonnet_image_reader;

/// Returns whether the library for a format is linked and can decode it.
int bluebonnet_image_is_available(bluebonnet_image_format format);

/// Reads the header of a picture. The bytes must stay valid until the reader is closed.
///
/// `message` receives up to `message_size` bytes of NUL-terminated text if the function fails.
bluebonnet_image_status bluebonnet_image_open(
    bluebonnet_image_format format, const uint8_t *bytes, size_t byte_count, const bluebonnet_image_limits *limits,
    bluebonnet_image_reader **reader, char *message, size_t message_size);

bluebonnet_image_info bluebonnet_image_get_info(const bluebonnet_image_reader *reader);

/// Requests a smaller picture, whose longer side has at least `longest_side` pixels. Call it before the first read.
void bluebonnet_image_scale(bluebonnet_image_reader *reader, uint32_t longest_side);

/// Reads the next rows in RGBA with straight alpha, 4 * output_width bytes per row.
bluebonnet_image_status bluebonnet_image_read(
    bluebonnet_image_reader *reader, uint8_t *pixels, uint32_t row_count, char *message, size_t message_size);

/// Decodes the next frame of an animation in RGBA with straight alpha.
bluebonnet_image_status bluebonnet_image_read_frame(
    bluebonnet_image_reader *reader, uint8_t *pixels, char *message, size_t message_size);

/// Returns the duration of a frame; 0 if the picture is not animated.
uint32_t bluebonnet_image_frame_milliseconds(bluebonnet_image_reader *reader, uint32_t frame);

void bluebonnet_image_close(bluebonnet_image_reader *reader);

#endif
