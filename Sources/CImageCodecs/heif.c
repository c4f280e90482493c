// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#ifdef BLUEBONNET_HEIF

#include "reader.h"

#include <libheif/heif.h>

typedef struct {
    bluebonnet_image_reader base;
    struct heif_context *context;
    struct heif_image_handle *handle;
} heif_reader;

static bluebonnet_image_status status_of(heif_reader *reader, struct heif_error error) {
    bluebonnet_image_status status = BLUEBONNET_IMAGE_MALFORMED;
    switch (error.code) {
    case heif_error_Ok: return BLUEBONNET_IMAGE_OK;
    case heif_error_Unsupported_feature:
    case heif_error_Unsupported_filetype:
    case heif_error_Plugin_loading_error: status = BLUEBONNET_IMAGE_UNSUPPORTED; break;
    case heif_error_Memory_allocation_error: status = BLUEBONNET_IMAGE_OUT_OF_MEMORY; break;
    // Also heif_error_Decoder_plugin_error, which a decoder that fails on damaged data returns.
    default: break;
    }
    return bluebonnet_image_fail(&reader->base, status, error.message == NULL ? "it is damaged" : error.message);
}

static void close_heif(bluebonnet_image_reader *base) {
    heif_reader *reader = (heif_reader *)base;
    if (reader->handle != NULL) heif_image_handle_release(reader->handle);
    if (reader->context != NULL) heif_context_free(reader->context);
}

/// Divides the colors of a row by alpha.
static void make_straight(uint8_t *pixels, uint32_t width) {
    for (uint8_t *pixel = pixels, *end = pixels + (size_t)width * 4; pixel < end; pixel += 4) {
        unsigned alpha = pixel[3];
        if (alpha == 0 || alpha == 255) continue;
        for (int component = 0; component < 3; component++) {
            unsigned straight = (pixel[component] * 255u + alpha / 2) / alpha;
            pixel[component] = (uint8_t)(straight > 255 ? 255 : straight);
        }
    }
}

static bluebonnet_image_status copy_rows(heif_reader *reader, const struct heif_image *image, uint8_t *pixels) {
    const bluebonnet_image_info *info = &reader->base.info;
    int stride = 0;
    const uint8_t *plane = heif_image_get_plane_readonly(image, heif_channel_interleaved, &stride);
    int width = heif_image_get_width(image, heif_channel_interleaved);
    int height = heif_image_get_height(image, heif_channel_interleaved);
    if (plane == NULL || width < 0 || height < 0 || (uint32_t)width != info->width || (uint32_t)height != info->height) {
        return bluebonnet_image_fail(&reader->base, BLUEBONNET_IMAGE_MALFORMED, "its pixels are not of the size it declares");
    }
    int is_premultiplied = info->has_alpha && heif_image_handle_is_premultiplied_alpha(reader->handle);
    for (uint32_t row = 0; row < info->height; row++) {
        uint8_t *target = pixels + (size_t)row * info->width * 4;
        memcpy(target, plane + (size_t)row * (size_t)stride, (size_t)info->width * 4);
        if (is_premultiplied) make_straight(target, info->width);
    }
    return BLUEBONNET_IMAGE_OK;
}

static bluebonnet_image_status read_heif(bluebonnet_image_reader *base, uint8_t *pixels, uint32_t row_count) {
    heif_reader *reader = (heif_reader *)base;
    if (row_count != base->info.height) {
        return bluebonnet_image_fail(base, BLUEBONNET_IMAGE_UNSUPPORTED, "it is read whole");
    }
    struct heif_decoding_options *options = heif_decoding_options_alloc();
    if (options == NULL) return bluebonnet_image_fail(base, BLUEBONNET_IMAGE_OUT_OF_MEMORY, "no memory");
    options->convert_hdr_to_8bit = 1;
    struct heif_image *image = NULL;
    struct heif_error error =
        heif_decode_image(reader->handle, &image, heif_colorspace_RGB, heif_chroma_interleaved_RGBA, options);
    heif_decoding_options_free(options);
    bluebonnet_image_status status = status_of(reader, error);
    if (status == BLUEBONNET_IMAGE_OK) status = copy_rows(reader, image, pixels);
    if (image != NULL) heif_image_release(image);
    return status;
}

bluebonnet_image_status bluebonnet_heif_open(bluebonnet_image_reader **result, bluebonnet_image_reader *base) {
    heif_reader *reader = bluebonnet_image_make(sizeof *reader, base);
    if (reader == NULL) return bluebonnet_image_fail(base, BLUEBONNET_IMAGE_OUT_OF_MEMORY, "no memory");
    *result = &reader->base;
    reader->base.close = close_heif;
    reader->base.read = read_heif;
    reader->context = heif_context_alloc();
    if (reader->context == NULL) return bluebonnet_image_fail(base, BLUEBONNET_IMAGE_OUT_OF_MEMORY, "no memory");
    bluebonnet_image_status status = status_of(
        reader, heif_context_read_from_memory_without_copy(reader->context, base->bytes, base->byte_count, NULL));
    if (status != BLUEBONNET_IMAGE_OK) return status;
    status = status_of(reader, heif_context_get_primary_image_handle(reader->context, &reader->handle));
    if (status != BLUEBONNET_IMAGE_OK) return status;
    // Rotation, mirroring and cropping are part of the picture in this format, and libheif applies them.
    int width = heif_image_handle_get_width(reader->handle), height = heif_image_handle_get_height(reader->handle);
    int coded_width = heif_image_handle_get_ispe_width(reader->handle);
    int coded_height = heif_image_handle_get_ispe_height(reader->handle);
    if (coded_width > 0 && coded_height > 0) {
        status = bluebonnet_image_set_size(&reader->base, (uint32_t)coded_width, (uint32_t)coded_height);
        if (status != BLUEBONNET_IMAGE_OK) return status;
    }
    if (width <= 0 || height <= 0) width = height = 0;
    status = bluebonnet_image_set_size(&reader->base, (uint32_t)width, (uint32_t)height);
    if (status != BLUEBONNET_IMAGE_OK) return status;
    int bits = heif_image_handle_get_luma_bits_per_pixel(reader->handle);
    reader->base.info.bits_per_component = bits > 0 ? (uint32_t)bits : 8;
    reader->base.info.has_alpha = heif_image_handle_has_alpha_channel(reader->handle);
    return BLUEBONNET_IMAGE_OK;
}

#endif
