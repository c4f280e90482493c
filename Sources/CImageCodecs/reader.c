// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#include "reader.h"

static bluebonnet_image_opener *opener_of(bluebonnet_image_format format) {
    switch (format) {
#ifdef BLUEBONNET_IMAGE_CODECS
    case BLUEBONNET_IMAGE_JPEG: return bluebonnet_jpeg_open;
    case BLUEBONNET_IMAGE_PNG: return bluebonnet_png_open;
    case BLUEBONNET_IMAGE_WEBP: return bluebonnet_webp_open;
    case BLUEBONNET_IMAGE_TIFF: return bluebonnet_tiff_open;
#endif
#ifdef BLUEBONNET_HEIF
    case BLUEBONNET_IMAGE_HEIF: return bluebonnet_heif_open;
#endif
    default: return NULL;
    }
}

int bluebonnet_image_is_available(bluebonnet_image_format format) { return opener_of(format) != NULL; }

bluebonnet_image_status bluebonnet_image_open(
    bluebonnet_image_format format, const uint8_t *bytes, size_t byte_count, const bluebonnet_image_limits *limits,
    bluebonnet_image_reader **reader, char *message, size_t message_size) {
    *reader = NULL;
    if (message_size > 0) message[0] = 0;
    bluebonnet_image_reader base = {
        .limits = *limits, .bytes = bytes, .byte_count = byte_count, .message = message, .message_size = message_size};
    base.info.frame_count = 1;
    base.info.bits_per_component = 8;
    base.info.color_space = BLUEBONNET_IMAGE_RGB;
    bluebonnet_image_opener *open = opener_of(format);
    if (open == NULL) return bluebonnet_image_fail(&base, BLUEBONNET_IMAGE_UNSUPPORTED, "its decoder is not linked");
    bluebonnet_image_status status = open(reader, &base);
    if (status != BLUEBONNET_IMAGE_OK) {
        bluebonnet_image_close(*reader);
        *reader = NULL;
    } else {
        // The buffer belongs to the caller, and is valid only during the call.
        (*reader)->message = NULL;
    }
    return status;
}

bluebonnet_image_info bluebonnet_image_get_info(const bluebonnet_image_reader *reader) { return reader->info; }

void bluebonnet_image_scale(bluebonnet_image_reader *reader, uint32_t longest_side) {
    if (reader->scale != NULL && longest_side > 0) reader->scale(reader, longest_side);
}

bluebonnet_image_status bluebonnet_image_read(
    bluebonnet_image_reader *reader, uint8_t *pixels, uint32_t row_count, char *message, size_t message_size) {
    if (message_size > 0) message[0] = 0;
    if (bluebonnet_image_is_cancelled(reader)) return BLUEBONNET_IMAGE_CANCELLED;
    reader->message = message;
    reader->message_size = message_size;
    bluebonnet_image_status status = reader->read(reader, pixels, row_count);
    reader->message = NULL;
    return status;
}

bluebonnet_image_status bluebonnet_image_read_frame(
    bluebonnet_image_reader *reader, uint8_t *pixels, char *message, size_t message_size) {
    if (message_size > 0) message[0] = 0;
    if (bluebonnet_image_is_cancelled(reader)) return BLUEBONNET_IMAGE_CANCELLED;
    reader->message = message;
    reader->message_size = message_size;
    bluebonnet_image_status status = reader->read_frame != NULL
        ? reader->read_frame(reader, pixels)
        : bluebonnet_image_fail(reader, BLUEBONNET_IMAGE_UNSUPPORTED, "it is not animated");
    reader->message = NULL;
    return status;
}

uint32_t bluebonnet_image_frame_milliseconds(bluebonnet_image_reader *reader, uint32_t frame) {
    return reader->frame_milliseconds == NULL ? 0 : reader->frame_milliseconds(reader, frame);
}

void bluebonnet_image_close(bluebonnet_image_reader *reader) {
    if (reader == NULL) return;
    if (reader->close != NULL) reader->close(reader);
    free(reader);
}
