// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#ifdef BLUEBONNET_IMAGE_CODECS

#include "reader.h"

#include <webp/decode.h>
#include <webp/demux.h>

typedef struct {
    bluebonnet_image_reader base;
    WebPDemuxer *demuxer;
    WebPAnimDecoder *animation;
    /// The number of bytes that the library allocates besides the result.
    uint64_t working_byte_count;
} webp_reader;

static void close_webp(bluebonnet_image_reader *base) {
    webp_reader *reader = (webp_reader *)base;
    if (reader->animation != NULL) WebPAnimDecoderDelete(reader->animation);
    if (reader->demuxer != NULL) WebPDemuxDelete(reader->demuxer);
}

static void scale_webp(bluebonnet_image_reader *base, uint32_t longest_side) {
    bluebonnet_image_info *info = &base->info;
    uint32_t longest = info->width > info->height ? info->width : info->height;
    // Frames are composed in full size, even if there is only one.
    if (longest <= longest_side || base->read_frame != NULL) return;
    uint64_t width = ((uint64_t)info->width * longest_side + longest / 2) / longest;
    uint64_t height = ((uint64_t)info->height * longest_side + longest / 2) / longest;
    info->output_width = width == 0 ? 1 : (uint32_t)width;
    info->output_height = height == 0 ? 1 : (uint32_t)height;
    info->rows_at_once = info->output_height;
}

static bluebonnet_image_status status_of(webp_reader *reader, VP8StatusCode code) {
    switch (code) {
    case VP8_STATUS_OK: return BLUEBONNET_IMAGE_OK;
    case VP8_STATUS_OUT_OF_MEMORY:
        return bluebonnet_image_fail(&reader->base, BLUEBONNET_IMAGE_OUT_OF_MEMORY, "no memory");
    case VP8_STATUS_UNSUPPORTED_FEATURE:
        return bluebonnet_image_fail(&reader->base, BLUEBONNET_IMAGE_UNSUPPORTED, "it has a feature that is not known");
    case VP8_STATUS_NOT_ENOUGH_DATA:
    case VP8_STATUS_SUSPENDED:
        return bluebonnet_image_fail(&reader->base, BLUEBONNET_IMAGE_MALFORMED, "it ends before its last row");
    default: return bluebonnet_image_fail(&reader->base, BLUEBONNET_IMAGE_MALFORMED, "its data is damaged");
    }
}

/// Returns how many pictures in RGBA the library allocates at most besides the result.
static uint32_t picture_count(const WebPBitstreamFeatures *features) {
    // The canvas, the canvas before the frame, and a lossless frame.
    if (features->has_animation) return 3;
    // A lossless picture, or a lossless plane of alpha, is decoded whole; a lossy one row by row.
    return features->format == 2 || features->has_alpha ? 1 : 0;
}

static bluebonnet_image_status check_memory(webp_reader *reader) {
    if (reader->working_byte_count <= reader->base.limits.working_byte_count) return BLUEBONNET_IMAGE_OK;
    return bluebonnet_image_fail(&reader->base, BLUEBONNET_IMAGE_LIMIT, "decoding it takes more memory than the limit");
}

static bluebonnet_image_status read_webp(bluebonnet_image_reader *base, uint8_t *pixels, uint32_t row_count) {
    webp_reader *reader = (webp_reader *)base;
    if (row_count != base->info.output_height) {
        return bluebonnet_image_fail(base, BLUEBONNET_IMAGE_UNSUPPORTED, "it is read whole");
    }
    if (base->read_frame != NULL) return base->read_frame(base, pixels);
    bluebonnet_image_status status = check_memory(reader);
    if (status != BLUEBONNET_IMAGE_OK) return status;
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config)) {
        return bluebonnet_image_fail(base, BLUEBONNET_IMAGE_UNSUPPORTED, "the library is of another version");
    }
    config.options.use_scaling = base->info.output_width != base->info.width || base->info.output_height != base->info.height;
    config.options.scaled_width = (int)base->info.output_width;
    config.options.scaled_height = (int)base->info.output_height;
    config.output.colorspace = MODE_RGBA;
    config.output.is_external_memory = 1;
    config.output.u.RGBA.rgba = pixels;
    config.output.u.RGBA.stride = (int)(base->info.output_width * 4);
    config.output.u.RGBA.size = (size_t)base->info.output_width * 4 * base->info.output_height;
    VP8StatusCode code = WebPDecode(base->bytes, base->byte_count, &config);
    WebPFreeDecBuffer(&config.output);
    return status_of(reader, code);
}

static bluebonnet_image_status read_webp_frame(bluebonnet_image_reader *base, uint8_t *pixels) {
    webp_reader *reader = (webp_reader *)base;
    if (reader->animation == NULL) {
        bluebonnet_image_status status = check_memory(reader);
        if (status != BLUEBONNET_IMAGE_OK) return status;
        WebPAnimDecoderOptions options;
        if (!WebPAnimDecoderOptionsInit(&options)) {
            return bluebonnet_image_fail(base, BLUEBONNET_IMAGE_UNSUPPORTED, "the library is of another version");
        }
        options.color_mode = MODE_RGBA;
        WebPData data = {base->bytes, base->byte_count};
        reader->animation = WebPAnimDecoderNew(&data, &options);
    }
    WebPAnimInfo canvas_info;
    if (reader->animation != NULL && WebPAnimDecoderGetInfo(reader->animation, &canvas_info)
        && (canvas_info.canvas_width != base->info.width || canvas_info.canvas_height != base->info.height)) {
        return bluebonnet_image_fail(base, BLUEBONNET_IMAGE_MALFORMED, "its canvas is not of the size it declares");
    }
    uint8_t *canvas = NULL;
    int end = 0;
    if (reader->animation == NULL || !WebPAnimDecoderGetNext(reader->animation, &canvas, &end)) {
        return bluebonnet_image_fail(base, BLUEBONNET_IMAGE_MALFORMED, "its frames are damaged or cut short");
    }
    memcpy(pixels, canvas, (size_t)base->info.width * 4 * base->info.height);
    return BLUEBONNET_IMAGE_OK;
}

static uint32_t webp_frame_milliseconds(bluebonnet_image_reader *base, uint32_t frame) {
    webp_reader *reader = (webp_reader *)base;
    WebPIterator iterator;
    memset(&iterator, 0, sizeof iterator);
    uint32_t duration = 0;
    if (WebPDemuxGetFrame(reader->demuxer, (int)frame + 1, &iterator) && iterator.duration > 0) {
        duration = (uint32_t)iterator.duration;
    }
    WebPDemuxReleaseIterator(&iterator);
    return duration;
}

/// Determines whether a part of the canvas is transparent in a frame, whatever the file declares: the canvas is
/// transparent before the first frame, and in the area of a frame that is disposed of.
static int shows_transparency(webp_reader *reader) {
    int is_transparent = 0;
    // What the next frame must cover.
    int left = 0, top = 0, right = (int)reader->base.info.width, bottom = (int)reader->base.info.height;
    WebPIterator frame;
    memset(&frame, 0, sizeof frame);
    int has_frame = WebPDemuxGetFrame(reader->demuxer, 1, &frame);
    while (has_frame && !is_transparent) {
        int end_x = frame.x_offset + frame.width, end_y = frame.y_offset + frame.height;
        int is_covered = left >= right || (frame.x_offset <= left && frame.y_offset <= top && end_x >= right && end_y >= bottom);
        is_transparent = frame.has_alpha || !is_covered;
        left = frame.x_offset;
        top = frame.y_offset;
        right = frame.dispose_method == WEBP_MUX_DISPOSE_BACKGROUND ? end_x : left;
        bottom = end_y;
        has_frame = WebPDemuxNextFrame(&frame);
    }
    WebPDemuxReleaseIterator(&frame);
    return is_transparent;
}

bluebonnet_image_status bluebonnet_webp_open(bluebonnet_image_reader **result, bluebonnet_image_reader *base) {
    webp_reader *reader = bluebonnet_image_make(sizeof *reader, base);
    if (reader == NULL) return bluebonnet_image_fail(base, BLUEBONNET_IMAGE_OUT_OF_MEMORY, "no memory");
    *result = &reader->base;
    reader->base.close = close_webp;
    reader->base.read = read_webp;
    reader->base.scale = scale_webp;
    WebPBitstreamFeatures features;
    bluebonnet_image_status status = status_of(reader, WebPGetFeatures(base->bytes, base->byte_count, &features));
    if (status != BLUEBONNET_IMAGE_OK) return status;
    status = bluebonnet_image_set_size(&reader->base, (uint32_t)features.width, (uint32_t)features.height);
    if (status != BLUEBONNET_IMAGE_OK) return status;
    reader->base.info.has_alpha = features.has_alpha;
    reader->working_byte_count = (uint64_t)picture_count(&features) * 4 * reader->base.info.width * reader->base.info.height;
    if (!features.has_animation) return BLUEBONNET_IMAGE_OK;
    WebPData data = {base->bytes, base->byte_count};
    reader->demuxer = WebPDemux(&data);
    if (reader->demuxer == NULL) {
        return bluebonnet_image_fail(base, BLUEBONNET_IMAGE_MALFORMED, "its frames are damaged or cut short");
    }
    uint32_t frame_count = WebPDemuxGetI(reader->demuxer, WEBP_FF_FRAME_COUNT);
    if (frame_count == 0) return bluebonnet_image_fail(base, BLUEBONNET_IMAGE_MALFORMED, "it has no frames");
    if (frame_count > base->limits.frame_count) {
        return bluebonnet_image_fail(base, BLUEBONNET_IMAGE_LIMIT, "it has more frames than the limit");
    }
    if (shows_transparency(reader)) reader->base.info.has_alpha = 1;
    reader->base.info.frame_count = frame_count;
    reader->base.info.loop_count = WebPDemuxGetI(reader->demuxer, WEBP_FF_LOOP_COUNT);
    reader->base.read_frame = read_webp_frame;
    reader->base.frame_milliseconds = webp_frame_milliseconds;
    return BLUEBONNET_IMAGE_OK;
}

#endif
