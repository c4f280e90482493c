// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#ifdef BLUEBONNET_IMAGE_CODECS

#include "reader.h"

#include <setjmp.h>

#include <jpeglib.h>

#include <jerror.h>

// A small progressive picture may have any number of scans, each of which takes as long as the whole picture.
#define LARGEST_SCAN_NUMBER 200

typedef struct {
    bluebonnet_image_reader base;
    struct jpeg_decompress_struct decoder;
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    struct jpeg_source_mgr source;
    jmp_buf target;
    bluebonnet_image_status status;
    uint8_t *cmyk;
    int is_started;
    /// Whether the file has ended, and an end marker was supplied.
    int is_at_end;
} jpeg_reader;

static jpeg_reader *reader_of(j_common_ptr decoder) { return decoder->client_data; }

static void fail(j_common_ptr decoder) {
    jpeg_reader *reader = reader_of(decoder);
    char message[JMSG_LENGTH_MAX];
    decoder->err->format_message(decoder, message);
    switch (decoder->err->msg_code) {
    case JERR_OUT_OF_MEMORY: reader->status = BLUEBONNET_IMAGE_OUT_OF_MEMORY; break;
    case JERR_IMAGE_TOO_BIG:
    case JERR_WIDTH_OVERFLOW:
    case JERR_NO_BACKING_STORE: reader->status = BLUEBONNET_IMAGE_LIMIT; break;
    case JERR_ARITH_NOTIMPL:
    case JERR_BAD_PRECISION:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_SOF_UNSUPPORTED: reader->status = BLUEBONNET_IMAGE_UNSUPPORTED; break;
    default: reader->status = BLUEBONNET_IMAGE_MALFORMED; break;
    }
    bluebonnet_image_fail(&reader->base, reader->status, message);
    longjmp(reader->target, 1);
}

static void ignore_message(j_common_ptr decoder, int level) {
    if (level >= 0) return;
    // A marker was read where the decoder needed data: that of the file, or the end marker that was supplied. libjpeg
    // would fill the rest of the scan with gray.
    if (reader_of(decoder)->is_at_end || decoder->err->msg_code == JWRN_HIT_MARKER) ERREXIT(decoder, JERR_INPUT_EOF);
    decoder->err->num_warnings++;
}
static void print_nothing(j_common_ptr decoder) { (void)decoder; }

static void watch(j_common_ptr decoder) {
    jpeg_reader *reader = reader_of(decoder);
    if (bluebonnet_image_is_cancelled(&reader->base)) {
        reader->status = BLUEBONNET_IMAGE_CANCELLED;
        longjmp(reader->target, 1);
    }
    if (reader->decoder.input_scan_number > LARGEST_SCAN_NUMBER) {
        reader->status = bluebonnet_image_fail(&reader->base, BLUEBONNET_IMAGE_LIMIT, "it has more than 200 scans");
        longjmp(reader->target, 1);
    }
}

static void begin_source(j_decompress_ptr decoder) { (void)decoder; }
/// Supplies an end marker once, because all bytes were available from the start.
///
/// The decoder reads ahead: it may ask for bytes although only the end marker is missing. If data is missing, it reports
/// a warning, or asks again. The decoder of arithmetic codes does neither, and gets no marker.
static boolean fill_source(j_decompress_ptr decoder) {
    static const JOCTET end_marker[] = {0xFF, JPEG_EOI};
    jpeg_reader *reader = reader_of((j_common_ptr)decoder);
    if (reader->is_at_end || decoder->arith_code) ERREXIT(decoder, JERR_INPUT_EOF);
    reader->is_at_end = 1;
    decoder->src->next_input_byte = end_marker;
    decoder->src->bytes_in_buffer = sizeof end_marker;
    return TRUE;
}
/// Returns whether each component was part of a scan, and, unless the file has an end marker, every coefficient in full
/// precision: a file may be cut off between two scans. A progressive file that is complete may leave out the last bits.
static int has_all_scans(const struct jpeg_decompress_struct *decoder, int has_end_marker) {
    for (int component = 0; component < decoder->num_components; component++) {
        if (decoder->comp_info[component].quant_table == NULL) return 0;
        if (has_end_marker || !decoder->progressive_mode || decoder->coef_bits == NULL) continue;
        for (int place = 0; place < DCTSIZE2; place++) {
            if (decoder->coef_bits[component][place] != 0) return 0;
        }
    }
    return 1;
}
static void skip_source(j_decompress_ptr decoder, long count) {
    if (count <= 0) return;
    if ((size_t)count > decoder->src->bytes_in_buffer) ERREXIT(decoder, JERR_INPUT_EOF);
    decoder->src->next_input_byte += count;
    decoder->src->bytes_in_buffer -= (size_t)count;
}
static void end_source(j_decompress_ptr decoder) { (void)decoder; }

static void close_jpeg(bluebonnet_image_reader *base) {
    jpeg_reader *reader = (jpeg_reader *)base;
    if (setjmp(reader->target) == 0) jpeg_destroy_decompress(&reader->decoder);
    free(reader->cmyk);
}

static void scale_jpeg(bluebonnet_image_reader *base, uint32_t longest_side) {
    jpeg_reader *reader = (jpeg_reader *)base;
    uint64_t longest = base->info.width > base->info.height ? base->info.width : base->info.height;
    unsigned eighths = 8;
    // The inverse transform of a block can produce 4 × 4, 2 × 2 or 1 × 1 pixels instead of 8 × 8.
    while (eighths > 1 && longest * (eighths / 2) / 8 >= longest_side) eighths /= 2;
    reader->decoder.scale_num = eighths;
    reader->decoder.scale_denom = 8;
    if (setjmp(reader->target) != 0) return;
    jpeg_calc_output_dimensions(&reader->decoder);
    base->info.output_width = reader->decoder.output_width;
    base->info.output_height = reader->decoder.output_height;
}

/// Converts CMYK to RGBA. The components are inverted, as Adobe's programs store them: 255 is no ink.
static void convert_cmyk(const uint8_t *inks, uint8_t *pixels, uint32_t width) {
    for (uint32_t x = 0; x < width; x++) {
        unsigned black = inks[4 * x + 3];
        for (int component = 0; component < 3; component++) {
            pixels[4 * x + component] = (uint8_t)((inks[4 * x + component] * black + 127) / 255);
        }
        pixels[4 * x + 3] = 255;
    }
}

static bluebonnet_image_status read_jpeg(bluebonnet_image_reader *base, uint8_t *pixels, uint32_t row_count) {
    jpeg_reader *reader = (jpeg_reader *)base;
    struct jpeg_decompress_struct *decoder = &reader->decoder;
    if (setjmp(reader->target) != 0) return reader->status;
    if (!reader->is_started) {
        decoder->out_color_space = base->info.color_space == BLUEBONNET_IMAGE_CMYK ? JCS_CMYK : JCS_EXT_RGBA;
        jpeg_start_decompress(decoder);
        // A file of several scans has been read to its end.
        if (!has_all_scans(decoder, !reader->is_at_end)) ERREXIT(decoder, JERR_INPUT_EOF);
        if (decoder->output_components != 4) ERREXIT(decoder, JERR_CONVERSION_NOTIMPL);
        if (decoder->output_width != base->info.output_width || decoder->output_height != base->info.output_height) {
            ERREXIT(decoder, JERR_CONVERSION_NOTIMPL);
        }
        if (decoder->out_color_space == JCS_CMYK) {
            reader->cmyk = malloc((size_t)decoder->output_width * 4);
            if (reader->cmyk == NULL) ERREXIT1(decoder, JERR_OUT_OF_MEMORY, 0);
        }
        reader->is_started = 1;
    }
    for (uint32_t row = 0; row < row_count; row++) {
        JSAMPROW target = pixels + (size_t)row * base->info.output_width * 4;
        JSAMPROW line = reader->cmyk != NULL ? reader->cmyk : target;
        if (jpeg_read_scanlines(decoder, &line, 1) != 1) ERREXIT(decoder, JERR_INPUT_EOF);
        if (reader->cmyk != NULL) convert_cmyk(line, target, base->info.output_width);
    }
    return BLUEBONNET_IMAGE_OK;
}

bluebonnet_image_status bluebonnet_jpeg_open(bluebonnet_image_reader **result, bluebonnet_image_reader *base) {
    jpeg_reader *reader = bluebonnet_image_make(sizeof *reader, base);
    if (reader == NULL) return bluebonnet_image_fail(base, BLUEBONNET_IMAGE_OUT_OF_MEMORY, "no memory");
    *result = &reader->base;
    struct jpeg_decompress_struct *decoder = &reader->decoder;
    decoder->err = jpeg_std_error(&reader->errors);
    decoder->client_data = reader;
    reader->errors.error_exit = fail;
    reader->errors.emit_message = ignore_message;
    reader->errors.output_message = print_nothing;
    if (setjmp(reader->target) != 0) return reader->status;
    jpeg_create_decompress(decoder);
    reader->base.close = close_jpeg;
    reader->base.read = read_jpeg;
    reader->base.scale = scale_jpeg;
    uint64_t memory = base->limits.working_byte_count;
    decoder->mem->max_memory_to_use = memory > INT32_MAX ? INT32_MAX : (long)memory;
    reader->progress.progress_monitor = watch;
    decoder->progress = &reader->progress;
    reader->source = (struct jpeg_source_mgr){
        .next_input_byte = base->bytes, .bytes_in_buffer = base->byte_count, .init_source = begin_source,
        .fill_input_buffer = fill_source, .skip_input_data = skip_source, .resync_to_restart = jpeg_resync_to_restart,
        .term_source = end_source};
    decoder->src = &reader->source;
    jpeg_read_header(decoder, TRUE);
    reader->base.info.bits_per_component = (uint32_t)decoder->data_precision;
    switch (decoder->jpeg_color_space) {
    case JCS_GRAYSCALE: reader->base.info.color_space = BLUEBONNET_IMAGE_GRAY; break;
    case JCS_CMYK:
    case JCS_YCCK: reader->base.info.color_space = BLUEBONNET_IMAGE_CMYK; break;
    default: break;
    }
    bluebonnet_image_status status = bluebonnet_image_set_size(&reader->base, decoder->image_width, decoder->image_height);
    reader->base.info.rows_at_once = 1;
    return status;
}

#endif
