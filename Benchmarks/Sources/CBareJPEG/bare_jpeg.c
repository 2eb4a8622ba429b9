#if defined(__linux__)

#include "bare_jpeg.h"

#include <stdio.h>

#include <jpeglib.h>
#include <stdlib.h>

uint8_t *bare_jpeg_decode(const uint8_t *bytes, size_t count, uint32_t eighths, uint32_t *width, uint32_t *height) {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&jpeg);
    jpeg_mem_src(&jpeg, bytes, count);
    jpeg_read_header(&jpeg, TRUE);
    jpeg.out_color_space = JCS_EXT_RGBA;
    jpeg.scale_num = eighths;
    jpeg.scale_denom = 8;
    jpeg_start_decompress(&jpeg);
    size_t stride = (size_t)jpeg.output_width * 4;
    uint8_t *pixels = malloc(stride * jpeg.output_height);
    while (pixels != NULL && jpeg.output_scanline < jpeg.output_height) {
        JSAMPROW row = pixels + jpeg.output_scanline * stride;
        jpeg_read_scanlines(&jpeg, &row, 1);
    }
    *width = jpeg.output_width;
    *height = jpeg.output_height;
    jpeg_destroy_decompress(&jpeg);
    return pixels;
}

#endif
