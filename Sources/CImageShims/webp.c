#if defined(HALCYON_IMAGE_CODECS)

#if !__has_include(<webp/decode.h>)
#error "libwebp is missing: apt-get install libwebp-dev, or build without the package trait ImageCodecs."
#endif

#include "support.h"

#include <stdlib.h>
#include <string.h>
#include <webp/decode.h>
#include <webp/encode.h>

/* Decoding */

static int32_t fail_to_decode(halcyon_image_error *error, VP8StatusCode status) {
    switch (status) {
    case VP8_STATUS_OUT_OF_MEMORY: return halcyon_fail(error, HALCYON_IMAGE_NO_MEMORY, "no memory for libwebp");
    case VP8_STATUS_NOT_ENOUGH_DATA:
    case VP8_STATUS_SUSPENDED: return halcyon_fail(error, HALCYON_IMAGE_TRUNCATED, "the file ends early");
    case VP8_STATUS_UNSUPPORTED_FEATURE:
        return halcyon_fail(error, HALCYON_IMAGE_UNSUPPORTED, "a feature that libwebp does not read");
    default: return halcyon_fail(error, HALCYON_IMAGE_MALFORMED, "malformed WebP");
    }
}

/* libwebp writes rows from the top without gaps. */
static int32_t decode_rows(
    const uint8_t *bytes, size_t count, const halcyon_webp_size *size, uint8_t *pixels, halcyon_image_error *error
) {
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config)) return halcyon_fail(error, HALCYON_IMAGE_UNSUPPORTED, "an incompatible version of libwebp");
    VP8StatusCode status = WebPGetFeatures(bytes, count, &config.input);
    if (status != VP8_STATUS_OK) return fail_to_decode(error, status);
    if (config.input.has_animation || (uint32_t)config.input.width != size->width
        || (uint32_t)config.input.height != size->height)
        return halcyon_fail(error, HALCYON_IMAGE_MALFORMED, "its parts have different sizes");
    if (size->scaled_width != size->width || size->scaled_height != size->height) {
        config.options.use_scaling = 1;
        config.options.scaled_width = (int)size->scaled_width;
        config.options.scaled_height = (int)size->scaled_height;
    }
    size_t stride = (size_t)size->scaled_width * 4;
    config.output.colorspace = MODE_RGBA;
    config.output.is_external_memory = 1;
    config.output.u.RGBA.rgba = pixels;
    config.output.u.RGBA.stride = (int)stride;
    config.output.u.RGBA.size = stride * size->scaled_height;
    status = WebPDecode(bytes, count, &config);
    WebPFreeDecBuffer(&config.output);
    return status == VP8_STATUS_OK ? 0 : fail_to_decode(error, status);
}

int32_t halcyon_webp_decode(
    const uint8_t *bytes, size_t count, const halcyon_webp_size *size, const halcyon_canvas *canvas,
    halcyon_image_error *error
) {
    error->code = 0;
    uint32_t width = size->scaled_width, height = size->scaled_height;
    if (canvas->start == 0 && canvas->column == 1 && canvas->row == (ptrdiff_t)width)
        return decode_rows(bytes, count, size, (uint8_t *)canvas->pixels, error);
    /* The image must be turned. */
    uint8_t *pixels = malloc((size_t)width * height * 4);
    if (pixels == NULL) return halcyon_fail(error, HALCYON_IMAGE_NO_MEMORY, "no memory to turn a WebP");
    decode_rows(bytes, count, size, pixels, error);
    for (uint32_t y = 0; y < height && error->code == 0; y++) {
        uint8_t *row = pixels + (size_t)y * width * 4;
        halcyon_place(&row, y, 1, width, canvas);
    }
    free(pixels);
    return error->code;
}

/* Encoding */

static int on_write(const uint8_t *bytes, size_t count, const WebPPicture *picture) {
    return halcyon_output_append(picture->custom_ptr, bytes, count);
}

/* Copies RGBA pixels into libwebp's ARGB integers. */
static void copy_pixels(const halcyon_picture *source, WebPPicture *picture) {
    for (uint32_t y = 0; y < source->height; y++) {
        uint32_t *row = picture->argb + (size_t)y * (size_t)picture->argb_stride;
        source->copy_row(source->context, y, row);
        for (uint32_t x = 0; x < source->width; x++) {
            const uint8_t *pixel = (const uint8_t *)(row + x);
            row[x] = (uint32_t)pixel[3] << 24 | (uint32_t)pixel[0] << 16 | (uint32_t)pixel[1] << 8 | pixel[2];
        }
    }
}

static void describe(const WebPPicture *picture, halcyon_image_error *error) {
    WebPEncodingError code = picture->error_code;
    int is_memory = code == VP8_ENC_ERROR_OUT_OF_MEMORY || code == VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY
        || code == VP8_ENC_ERROR_BAD_WRITE;
    halcyon_fail(
        error, is_memory ? HALCYON_IMAGE_NO_MEMORY : HALCYON_IMAGE_MALFORMED,
        code == VP8_ENC_ERROR_BAD_DIMENSION ? "more than 16383 pixels in one direction" : "libwebp cannot encode it");
}

int32_t halcyon_webp_encode(
    const halcyon_webp_source *source, halcyon_image_bytes *encoded, halcyon_image_error *error
) {
    halcyon_output output = {{NULL, 0}, 0};
    WebPConfig config;
    WebPPicture picture;
    error->code = 0;
    if (!WebPConfigInit(&config) || !WebPPictureInit(&picture))
        return halcyon_fail(error, HALCYON_IMAGE_UNSUPPORTED, "another libwebp");
    config.quality = source->quality;
    config.lossless = source->is_lossless;
    /* Keep the colors under transparent pixels in lossless files. */
    config.exact = source->is_lossless;
    picture.use_argb = 1;
    picture.width = (int)source->picture.width;
    picture.height = (int)source->picture.height;
    picture.writer = on_write;
    picture.custom_ptr = &output;
    if (WebPPictureAlloc(&picture)) {
        copy_pixels(&source->picture, &picture);
        if (!WebPEncode(&config, &picture)) describe(&picture, error);
    } else {
        describe(&picture, error);
    }
    WebPPictureFree(&picture);
    return halcyon_output_end(&output, encoded, error);
}

#endif
