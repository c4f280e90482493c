// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#ifdef BLUEBONNET_IMAGE_CODECS

#include "reader.h"
#include "tiff_pixels.h"

#include <stdarg.h>

#include <tiffio.h>

typedef struct {
    bluebonnet_image_reader base;
    TIFF *tiff;
    uint64_t position;
    uint32_t next_row;
    bluebonnet_tiff_pixels pixels;
    int has_pixels;
} tiff_reader;

static tmsize_t take_bytes(thandle_t handle, void *bytes, tmsize_t count) {
    tiff_reader *reader = handle;
    uint64_t left = reader->position < reader->base.byte_count ? reader->base.byte_count - reader->position : 0;
    if (count <= 0) return 0;
    if ((uint64_t)count > left) count = (tmsize_t)left;
    memcpy(bytes, reader->base.bytes + reader->position, (size_t)count);
    reader->position += (uint64_t)count;
    return count;
}
static tmsize_t refuse_bytes(thandle_t handle, void *bytes, tmsize_t count) {
    (void)handle;
    (void)bytes;
    (void)count;
    return -1;
}
static toff_t seek(thandle_t handle, toff_t offset, int whence) {
    tiff_reader *reader = handle;
    uint64_t start = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? reader->position : reader->base.byte_count;
    if (offset > UINT64_MAX - start) return (toff_t)-1;
    reader->position = start + offset;
    return reader->position;
}
static int close_nothing(thandle_t handle) {
    (void)handle;
    return 0;
}
/// Maps the file, which is in memory already. libtiff 4.5 rounds the sizes of tiles up, and then rejects them if it has
/// to read them itself.
static int map_bytes(thandle_t handle, void **bytes, toff_t *count) {
    tiff_reader *reader = handle;
    *bytes = (void *)(uintptr_t)reader->base.bytes;
    *count = reader->base.byte_count;
    return 1;
}
static void unmap_nothing(thandle_t handle, void *bytes, toff_t count) {
    (void)handle;
    (void)bytes;
    (void)count;
}
static toff_t size_of(thandle_t handle) { return ((tiff_reader *)handle)->base.byte_count; }

#if TIFFLIB_VERSION >= 20221213
static int keep_message(TIFF *tiff, void *data, const char *module, const char *format, va_list arguments) {
    (void)tiff;
    (void)module;
    bluebonnet_image_reader *reader = data;
    if (reader->message != NULL && reader->message_size > 0) {
        vsnprintf(reader->message, reader->message_size, format, arguments);
    }
    return 1;
}
static int ignore_message(TIFF *tiff, void *data, const char *module, const char *format, va_list arguments) {
    (void)tiff;
    (void)data;
    (void)module;
    (void)format;
    (void)arguments;
    return 1;
}
#endif

// Tables that libtiff allocates whatever the size of the picture.
#define SMALLEST_MEMORY 65536

/// Returns the number of bytes that libtiff may allocate at once.
static uint64_t memory_of(const tiff_reader *reader) {
    uint64_t memory = reader->base.limits.working_byte_count;
    return memory < SMALLEST_MEMORY ? SMALLEST_MEMORY : memory;
}

/// Returns whether libtiff may allocate the buffer of a strip or a tile. Its own error would not be told from damage.
static int has_memory(const tiff_reader *reader) {
    uint16_t planar = PLANARCONFIG_CONTIG;
    TIFFGetFieldDefaulted(reader->tiff, TIFFTAG_PLANARCONFIG, &planar);
    uint64_t byte_count = TIFFIsTiled(reader->tiff) ? TIFFTileSize64(reader->tiff) : TIFFStripSize64(reader->tiff);
    // Planes are read into one buffer: those of three colors, and of alpha.
    uint64_t plane_count = planar == PLANARCONFIG_SEPARATE ? 3 + (reader->pixels.image.alpha != 0) : 1;
    return byte_count <= memory_of(reader) / plane_count;
}

static TIFF *open_tiff(tiff_reader *reader) {
    // Only the first page is decoded.
    const char *name = "response", *mode = "r";
#if TIFFLIB_VERSION >= 20221213
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (options == NULL) return NULL;
    uint64_t memory = memory_of(reader);
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, memory > INT64_MAX ? INT64_MAX : (tmsize_t)memory);
    TIFFOpenOptionsSetErrorHandlerExtR(options, keep_message, reader);
    TIFFOpenOptionsSetWarningHandlerExtR(options, ignore_message, reader);
    TIFF *tiff = TIFFClientOpenExt(
        name, mode, reader, take_bytes, refuse_bytes, seek, close_nothing, size_of, map_bytes, unmap_nothing, options);
    TIFFOpenOptionsFree(options);
    return tiff;
#else
    return TIFFClientOpen(name, mode, reader, take_bytes, refuse_bytes, seek, close_nothing, size_of, map_bytes, unmap_nothing);
#endif
}

static void close_tiff(bluebonnet_image_reader *base) {
    tiff_reader *reader = (tiff_reader *)base;
    base->message = NULL;
    if (reader->has_pixels) TIFFRGBAImageEnd(&reader->pixels.image);
    if (reader->tiff != NULL) TIFFClose(reader->tiff);
}

static bluebonnet_image_status fail(bluebonnet_image_reader *base, bluebonnet_image_status status, const char *message) {
    // The message of libtiff is more specific.
    if (base->message != NULL && base->message[0] != 0) return status;
    return bluebonnet_image_fail(base, status, message);
}

static bluebonnet_image_status read_tiff(bluebonnet_image_reader *base, uint8_t *bytes, uint32_t row_count) {
    tiff_reader *reader = (tiff_reader *)base;
    TIFFRGBAImage *image = &reader->pixels.image;
    char message[1024] = "";
    if (!reader->has_pixels) {
        if (!TIFFRGBAImageBegin(image, reader->tiff, 1, message)) {
            return bluebonnet_image_fail(base, BLUEBONNET_IMAGE_UNSUPPORTED, message);
        }
        reader->has_pixels = 1;
        if (!has_memory(reader)) {
            return bluebonnet_image_fail(base, BLUEBONNET_IMAGE_LIMIT, "a strip or tile of it takes more memory than the limit");
        }
        // Rows are read as they are stored: the orientation is reported, not applied.
        image->req_orientation = image->orientation;
        bluebonnet_tiff_choose_conversion(&reader->pixels);
    }
    image->row_offset = (int)reader->next_row;
    if (!TIFFRGBAImageGet(image, (uint32_t *)(void *)bytes, base->info.width, row_count)) {
        return fail(base, BLUEBONNET_IMAGE_MALFORMED, "its data is damaged or cut short");
    }
    bluebonnet_tiff_finish(&reader->pixels, bytes, (size_t)base->info.width * row_count);
    reader->next_row += row_count;
    return BLUEBONNET_IMAGE_OK;
}

/// Determines whether there is alpha. Straight alpha is declared as associated, so that libtiff leaves the colors
/// unchanged.
static bluebonnet_image_status prepare_alpha(tiff_reader *reader, uint16_t photometric, uint16_t samples) {
    uint16_t count = 0, *kinds = NULL;
    TIFFGetFieldDefaulted(reader->tiff, TIFFTAG_EXTRASAMPLES, &count, &kinds);
    if (count == 0 || kinds == NULL || samples <= bluebonnet_tiff_color_count(photometric)) return BLUEBONNET_IMAGE_OK;
    if (kinds[0] != EXTRASAMPLE_ASSOCALPHA && kinds[0] != EXTRASAMPLE_UNASSALPHA) return BLUEBONNET_IMAGE_OK;
    reader->base.info.has_alpha = reader->pixels.has_alpha = 1;
    reader->pixels.is_premultiplied = kinds[0] == EXTRASAMPLE_ASSOCALPHA;
    if (reader->pixels.is_premultiplied) return BLUEBONNET_IMAGE_OK;
    // A copy, because libtiff frees its own before it reads the new one.
    uint16_t *associated = malloc(count * sizeof *associated);
    if (associated == NULL) return bluebonnet_image_fail(&reader->base, BLUEBONNET_IMAGE_OUT_OF_MEMORY, "no memory");
    memcpy(associated, kinds, count * sizeof *associated);
    associated[0] = EXTRASAMPLE_ASSOCALPHA;
    int is_declared = TIFFSetField(reader->tiff, TIFFTAG_EXTRASAMPLES, count, associated);
    free(associated);
    if (is_declared) return BLUEBONNET_IMAGE_OK;
    return fail(&reader->base, BLUEBONNET_IMAGE_MALFORMED, "its directory is damaged");
}

bluebonnet_image_status bluebonnet_tiff_open(bluebonnet_image_reader **result, bluebonnet_image_reader *base) {
    tiff_reader *reader = bluebonnet_image_make(sizeof *reader, base);
    if (reader == NULL) return bluebonnet_image_fail(base, BLUEBONNET_IMAGE_OUT_OF_MEMORY, "no memory");
    *result = &reader->base;
    reader->base.close = close_tiff;
    reader->base.read = read_tiff;
    reader->tiff = open_tiff(reader);
    if (reader->tiff == NULL) return fail(&reader->base, BLUEBONNET_IMAGE_MALFORMED, "its directory is damaged");
    uint32_t width = 0, height = 0, rows = 0;
    uint16_t bits = 1, samples = 1, photometric = 0;
    TIFFGetField(reader->tiff, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(reader->tiff, TIFFTAG_IMAGELENGTH, &height);
    TIFFGetFieldDefaulted(reader->tiff, TIFFTAG_BITSPERSAMPLE, &bits);
    TIFFGetFieldDefaulted(reader->tiff, TIFFTAG_SAMPLESPERPIXEL, &samples);
    bluebonnet_image_status status = bluebonnet_image_set_size(&reader->base, width, height);
    if (status != BLUEBONNET_IMAGE_OK) return status;
    char message[1024] = "";
    if (!TIFFRGBAImageOK(reader->tiff, message)) {
        return bluebonnet_image_fail(&reader->base, BLUEBONNET_IMAGE_UNSUPPORTED, message);
    }
    bluebonnet_image_info *info = &reader->base.info;
    info->bits_per_component = bits;
    if (TIFFGetField(reader->tiff, TIFFTAG_PHOTOMETRIC, &photometric)) {
        if (photometric == PHOTOMETRIC_MINISWHITE || photometric == PHOTOMETRIC_MINISBLACK) {
            info->color_space = BLUEBONNET_IMAGE_GRAY;
        } else if (photometric == PHOTOMETRIC_SEPARATED) {
            info->color_space = BLUEBONNET_IMAGE_CMYK;
        }
    }
    status = prepare_alpha(reader, photometric, samples);
    if (status != BLUEBONNET_IMAGE_OK) return status;
    if (TIFFIsTiled(reader->tiff)) TIFFGetField(reader->tiff, TIFFTAG_TILELENGTH, &rows);
    else TIFFGetFieldDefaulted(reader->tiff, TIFFTAG_ROWSPERSTRIP, &rows);
    info->rows_at_once = rows == 0 || rows > height ? height : rows;
    return BLUEBONNET_IMAGE_OK;
}

#endif
