// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#ifdef BLUEBONNET_IMAGE_CODECS

#include "reader.h"

#include <stdarg.h>

#include <tiffio.h>

typedef struct {
    bluebonnet_image_reader base;
    TIFF *tiff;
    uint64_t position;
    uint32_t next_row;
    TIFFRGBAImage rows;
    int has_rows;
    int is_premultiplied;
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

static TIFF *open_tiff(tiff_reader *reader) {
    // Only the first page is decoded.
    const char *name = "response", *mode = "r";
#if TIFFLIB_VERSION >= 20221213
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (options == NULL) return NULL;
    uint64_t memory = reader->base.limits.working_byte_count;
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
    if (reader->has_rows) TIFFRGBAImageEnd(&reader->rows);
    if (reader->tiff != NULL) TIFFClose(reader->tiff);
}

static bluebonnet_image_status fail(bluebonnet_image_reader *base, bluebonnet_image_status status, const char *message) {
    // The message of libtiff is more specific.
    if (base->message != NULL && base->message[0] != 0) return status;
    return bluebonnet_image_fail(base, status, message);
}

/// Converts pixels of 16-bit gray and alpha, of which libtiff's own function drops the alpha.
static void put_gray_and_alpha(
    TIFFRGBAImage *rows, uint32_t *words, uint32_t x, uint32_t y, uint32_t width, uint32_t height, int32_t source_skew,
    int32_t skew, unsigned char *bytes) {
    (void)x;
    (void)y;
    for (; height > 0; height--) {
        for (uint32_t column = 0; column < width; column++) {
            uint16_t samples[2];
            memcpy(samples, bytes, sizeof samples);
            bytes += sizeof samples;
            if (rows->photometric == PHOTOMETRIC_MINISWHITE) samples[0] = (uint16_t)(UINT16_MAX - samples[0]);
            uint32_t gray = (samples[0] + 128u) / 257, alpha = (samples[1] + 128u) / 257;
            *words++ = gray | gray << 8 | gray << 16 | alpha << 24;
        }
        // Both are numbers of pixels.
        words += skew;
        bytes += (ptrdiff_t)source_skew * 4;
    }
}

static bluebonnet_image_status read_tiff(bluebonnet_image_reader *base, uint8_t *pixels, uint32_t row_count) {
    tiff_reader *reader = (tiff_reader *)base;
    char message[1024] = "";
    if (!reader->has_rows) {
        if (!TIFFRGBAImageBegin(&reader->rows, reader->tiff, 1, message)) {
            return bluebonnet_image_fail(base, BLUEBONNET_IMAGE_UNSUPPORTED, message);
        }
        reader->has_rows = 1;
        // Rows are read as they are stored: the orientation is reported, not applied.
        reader->rows.req_orientation = reader->rows.orientation;
        uint16_t photometric = reader->rows.photometric;
        int is_gray = photometric == PHOTOMETRIC_MINISBLACK || photometric == PHOTOMETRIC_MINISWHITE;
        if (is_gray && base->info.has_alpha && reader->rows.isContig && reader->rows.bitspersample == 16
            && reader->rows.samplesperpixel == 2) {
            reader->rows.put.contig = put_gray_and_alpha;
        }
    }
    reader->rows.row_offset = (int)reader->next_row;
    uint32_t *words = (uint32_t *)(void *)pixels;
    if (!TIFFRGBAImageGet(&reader->rows, words, base->info.width, row_count)) {
        return fail(base, BLUEBONNET_IMAGE_MALFORMED, "its data is damaged or cut short");
    }
    size_t count = (size_t)base->info.width * row_count;
    for (size_t i = 0; i < count; i++) {
        uint32_t word = words[i];
        unsigned red = TIFFGetR(word), green = TIFFGetG(word), blue = TIFFGetB(word);
        // libtiff returns a fourth sample of unspecified meaning as alpha.
        unsigned alpha = base->info.has_alpha ? TIFFGetA(word) : 255;
        if (reader->is_premultiplied && alpha > 0 && alpha < 255) {
            red = (red * 255 + alpha / 2) / alpha;
            green = (green * 255 + alpha / 2) / alpha;
            blue = (blue * 255 + alpha / 2) / alpha;
        }
        pixels[4 * i] = (uint8_t)(red > 255 ? 255 : red);
        pixels[4 * i + 1] = (uint8_t)(green > 255 ? 255 : green);
        pixels[4 * i + 2] = (uint8_t)(blue > 255 ? 255 : blue);
        pixels[4 * i + 3] = (uint8_t)alpha;
    }
    reader->next_row += row_count;
    return BLUEBONNET_IMAGE_OK;
}

/// Determines whether there is alpha. Straight alpha is declared as associated, so that libtiff leaves the colours
/// unchanged.
static void prepare_alpha(tiff_reader *reader, uint16_t samples) {
    uint16_t count = 0, *kinds = NULL;
    TIFFGetFieldDefaulted(reader->tiff, TIFFTAG_EXTRASAMPLES, &count, &kinds);
    if (count == 0 || kinds == NULL || samples < 2) return;
    if (kinds[0] == EXTRASAMPLE_ASSOCALPHA) {
        reader->base.info.has_alpha = 1;
        reader->is_premultiplied = 1;
    } else if (kinds[0] == EXTRASAMPLE_UNASSALPHA) {
        reader->base.info.has_alpha = 1;
        uint16_t associated[1] = {EXTRASAMPLE_ASSOCALPHA};
        if (count == 1) TIFFSetField(reader->tiff, TIFFTAG_EXTRASAMPLES, 1, associated);
        else reader->is_premultiplied = 1;
    }
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
    prepare_alpha(reader, samples);
    if (TIFFIsTiled(reader->tiff)) TIFFGetField(reader->tiff, TIFFTAG_TILELENGTH, &rows);
    else TIFFGetFieldDefaulted(reader->tiff, TIFFTAG_ROWSPERSTRIP, &rows);
    info->rows_at_once = rows == 0 || rows > height ? height : rows;
    return BLUEBONNET_IMAGE_OK;
}

#endif
