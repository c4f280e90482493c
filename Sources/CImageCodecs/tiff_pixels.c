// Copyright (c) 2026 the Bluebonnet project authors
// SPDX-License-Identifier: Apache-2.0

#ifdef BLUEBONNET_IMAGE_CODECS

#include "tiff_pixels.h"

#include <string.h>

unsigned bluebonnet_tiff_color_count(uint16_t photometric) {
    switch (photometric) {
    case PHOTOMETRIC_MINISWHITE:
    case PHOTOMETRIC_MINISBLACK:
    case PHOTOMETRIC_PALETTE: return 1;
    case PHOTOMETRIC_SEPARATED: return 4;
    default: return 3;
    }
}

/// Reads a sample of 8 bits, or rounds one of 16 bits.
static unsigned sample(const uint8_t *pixel, unsigned bits, unsigned index) {
    if (bits == 8) return pixel[index];
    uint16_t value;
    memcpy(&value, pixel + 2 * index, sizeof value);
    return (value + 128u) / 257;
}

static unsigned divide_by_alpha(unsigned value, unsigned alpha) {
    if (alpha == 0 || alpha == 255) return value;
    value = (value * 255 + alpha / 2) / alpha;
    return value > 255 ? 255 : value;
}

static uint32_t pack(unsigned red, unsigned green, unsigned blue, unsigned alpha) {
    return (uint32_t)red | (uint32_t)green << 8 | (uint32_t)blue << 16 | (uint32_t)alpha << 24;
}

static uint32_t convert(const bluebonnet_tiff_pixels *pixels, const uint8_t *pixel) {
    const TIFFRGBAImage *image = &pixels->image;
    unsigned bits = image->bitspersample;
    unsigned alpha = pixels->has_alpha ? sample(pixel, bits, bluebonnet_tiff_color_count(image->photometric)) : 255;
    if (image->photometric == PHOTOMETRIC_PALETTE) {
        uint32_t color = image->PALmap[*pixel][0];
        return pack(TIFFGetR(color), TIFFGetG(color), TIFFGetB(color), alpha);
    }
    if (image->photometric == PHOTOMETRIC_SEPARATED) {
        unsigned light[4];
        for (unsigned ink = 0; ink < 4; ink++) {
            unsigned amount = sample(pixel, bits, ink);
            // The inks are premultiplied, not the colors that are made of them.
            light[ink] = 255 - (pixels->is_premultiplied ? divide_by_alpha(amount, alpha) : amount);
        }
        return pack(light[0] * light[3] / 255, light[1] * light[3] / 255, light[2] * light[3] / 255, alpha);
    }
    unsigned gray = sample(pixel, bits, 0);
    if (image->photometric == PHOTOMETRIC_MINISWHITE) gray = 255 - gray;
    return pack(gray, gray, gray, alpha);
}

static void put_samples(
    TIFFRGBAImage *image, uint32_t *words, uint32_t x, uint32_t y, uint32_t width, uint32_t height, int32_t source_skew,
    int32_t skew, unsigned char *bytes) {
    (void)x;
    (void)y;
    const bluebonnet_tiff_pixels *pixels = (const bluebonnet_tiff_pixels *)image;
    ptrdiff_t pixel_size = (ptrdiff_t)image->samplesperpixel * image->bitspersample / 8;
    for (; height > 0; height--) {
        for (uint32_t column = 0; column < width; column++) {
            *words++ = convert(pixels, bytes);
            bytes += pixel_size;
        }
        // Both are numbers of pixels.
        words += skew;
        bytes += source_skew * pixel_size;
    }
}

void bluebonnet_tiff_choose_conversion(bluebonnet_tiff_pixels *pixels) {
    TIFFRGBAImage *image = &pixels->image;
    if (!image->isContig || image->bitspersample < 8) return;
    int is_wrong = 0;
    switch (image->photometric) {
    case PHOTOMETRIC_MINISWHITE:
    case PHOTOMETRIC_MINISBLACK:
    case PHOTOMETRIC_PALETTE:
        // libtiff skips one byte for each pixel that a tile has right of the image, reads alpha only beside gray of 8
        // bits, without other samples, and does not round gray of 16 bits.
        is_wrong = image->samplesperpixel > 1 || image->bitspersample > 8;
        break;
    case PHOTOMETRIC_SEPARATED:
        // libtiff does not read alpha here.
        is_wrong = pixels->has_alpha;
        break;
    default: break;
    }
    if (is_wrong) image->put.contig = put_samples;
}

void bluebonnet_tiff_finish(const bluebonnet_tiff_pixels *pixels, uint8_t *bytes, size_t pixel_count) {
    const TIFFRGBAImage *image = &pixels->image;
    // libtiff takes gray in planes for red, green and blue.
    int is_negative = !image->isContig && image->photometric == PHOTOMETRIC_MINISWHITE;
    int is_premultiplied = pixels->is_premultiplied && image->photometric != PHOTOMETRIC_SEPARATED;
    for (size_t i = 0; i < pixel_count; i++, bytes += 4) {
        uint32_t word;
        memcpy(&word, bytes, sizeof word);
        unsigned red = TIFFGetR(word), green = TIFFGetG(word), blue = TIFFGetB(word);
        // libtiff returns a fourth sample of unspecified meaning as alpha.
        unsigned alpha = pixels->has_alpha ? TIFFGetA(word) : 255;
        if (is_negative) red = green = blue = 255 - red;
        if (is_premultiplied) {
            red = divide_by_alpha(red, alpha);
            green = divide_by_alpha(green, alpha);
            blue = divide_by_alpha(blue, alpha);
        }
        bytes[0] = (uint8_t)red;
        bytes[1] = (uint8_t)green;
        bytes[2] = (uint8_t)blue;
        bytes[3] = (uint8_t)alpha;
    }
}

#endif
