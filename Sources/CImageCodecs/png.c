// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#ifdef BLUEBONNET_IMAGE_CODECS

#include "reader.h"

#include <setjmp.h>

#include <png.h>

// The largest uncompressed size of a chunk other than the pixels.
#define LARGEST_CHUNK (8 << 20)

typedef struct {
    bluebonnet_image_reader base;
    png_structp png;
    png_infop info;
    size_t position;
    jmp_buf target;
    bluebonnet_image_status status;
    int is_interlaced;
} png_reader;

static void fail(png_structp png, png_const_charp message) {
    png_reader *reader = png_get_error_ptr(png);
    if (reader->status == BLUEBONNET_IMAGE_OK) {
        reader->status = bluebonnet_image_fail(&reader->base, BLUEBONNET_IMAGE_MALFORMED, message);
    }
    longjmp(reader->target, 1);
}

static void ignore_warning(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

static void take_bytes(png_structp png, png_bytep bytes, size_t count) {
    png_reader *reader = png_get_io_ptr(png);
    if (count > reader->base.byte_count - reader->position) png_error(png, "it ends before its last row");
    memcpy(bytes, reader->base.bytes + reader->position, count);
    reader->position += count;
}

static void close_png(bluebonnet_image_reader *base) {
    png_reader *reader = (png_reader *)base;
    if (reader->png == NULL) return;
    if (setjmp(reader->target) == 0) png_destroy_read_struct(&reader->png, &reader->info, NULL);
}

static bluebonnet_image_status read_png(bluebonnet_image_reader *base, uint8_t *pixels, uint32_t row_count) {
    png_reader *reader = (png_reader *)base;
    if (setjmp(reader->target) != 0) return reader->status;
    size_t stride = (size_t)base->info.width * 4;
    int passes = reader->is_interlaced ? 7 : 1;
    for (int pass = 0; pass < passes; pass++) {
        for (uint32_t row = 0; row < row_count; row++) {
            if (row % 64 == 63 && bluebonnet_image_is_cancelled(base)) return BLUEBONNET_IMAGE_CANCELLED;
            // An interlaced picture is read in passes, each over the previous one.
            png_read_row(reader->png, pixels + row * stride, NULL);
        }
    }
    return BLUEBONNET_IMAGE_OK;
}

/// Converts rows to 8-bit RGBA.
static void set_transforms(png_reader *reader, int color_type) {
    png_set_expand(reader->png);
    png_set_scale_16(reader->png);
    if (!(color_type & PNG_COLOR_MASK_COLOR)) png_set_gray_to_rgb(reader->png);
    png_set_add_alpha(reader->png, 0xFF, PNG_FILLER_AFTER);
    png_set_interlace_handling(reader->png);
    png_read_update_info(reader->png, reader->info);
}

bluebonnet_image_status bluebonnet_png_open(bluebonnet_image_reader **result, bluebonnet_image_reader *base) {
    png_reader *reader = bluebonnet_image_make(sizeof *reader, base);
    if (reader == NULL) return bluebonnet_image_fail(base, BLUEBONNET_IMAGE_OUT_OF_MEMORY, "no memory");
    *result = &reader->base;
    reader->base.close = close_png;
    reader->base.read = read_png;
    if (setjmp(reader->target) != 0) {
        return reader->status == BLUEBONNET_IMAGE_OK ? BLUEBONNET_IMAGE_MALFORMED : reader->status;
    }
    reader->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, reader, fail, ignore_warning);
    if (reader->png != NULL) reader->info = png_create_info_struct(reader->png);
    if (reader->info == NULL) return bluebonnet_image_fail(base, BLUEBONNET_IMAGE_OUT_OF_MEMORY, "no memory");
    png_set_read_fn(reader->png, reader, take_bytes);
    png_set_chunk_malloc_max(reader->png, LARGEST_CHUNK);
    png_set_chunk_cache_max(reader->png, 128);
    png_set_user_limits(reader->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    // Profiles and texts are not used, and so not decompressed.
    static const png_byte skipped[] = "iCCP\0iTXt\0zTXt\0tEXt\0sPLT\0eXIf";
    png_set_keep_unknown_chunks(reader->png, PNG_HANDLE_CHUNK_NEVER, skipped, 6);
    png_read_info(reader->png, reader->info);
    png_uint_32 width = 0, height = 0;
    int depth = 0, color_type = 0, interlace = 0;
    png_get_IHDR(reader->png, reader->info, &width, &height, &depth, &color_type, &interlace, NULL, NULL);
    bluebonnet_image_status status = bluebonnet_image_set_size(&reader->base, width, height);
    if (status != BLUEBONNET_IMAGE_OK) return status;
    bluebonnet_image_info *info = &reader->base.info;
    info->bits_per_component = color_type == PNG_COLOR_TYPE_PALETTE ? 8 : (uint32_t)depth;
    info->has_alpha =
        (color_type & PNG_COLOR_MASK_ALPHA) != 0 || png_get_valid(reader->png, reader->info, PNG_INFO_tRNS) != 0;
    info->color_space = color_type & PNG_COLOR_MASK_COLOR ? BLUEBONNET_IMAGE_RGB : BLUEBONNET_IMAGE_GRAY;
    reader->is_interlaced = interlace != PNG_INTERLACE_NONE;
    info->rows_at_once = reader->is_interlaced ? height : 1;
    set_transforms(reader, color_type);
    return BLUEBONNET_IMAGE_OK;
}

#endif
