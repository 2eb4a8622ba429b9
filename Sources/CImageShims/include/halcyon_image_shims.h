#ifndef CHALCYON_IMAGE_SHIMS_H
#define CHALCYON_IMAGE_SHIMS_H

#include <stddef.h>
#include <stdint.h>

/* libpng, libjpeg, giflib and libwebp for Swift. libpng and libjpeg report errors with longjmp, which must not cross Swift
   frames: no jump leaves a call. Each call returns 0, or a HALCYON_IMAGE_… code, and sets the same code and a text in `error`.
   Pixels are RGBA, 8 bits per channel, straight alpha, rows from the top without gaps. */

enum {
    HALCYON_IMAGE_TRUNCATED = 1,
    HALCYON_IMAGE_MALFORMED = 2,
    HALCYON_IMAGE_UNSUPPORTED = 3,
    HALCYON_IMAGE_NO_MEMORY = 4,
};

typedef struct halcyon_image_error {
    int32_t code;
    char text[160];
} halcyon_image_error;

/* An encoded image. The caller frees `bytes` with free(). */
typedef struct halcyon_image_bytes {
    uint8_t *bytes;
    size_t count;
} halcyon_image_bytes;

/* Where the pixels of a file are written: pixel (x, y) at start + x * column + y * row, in whole pixels. This turns the image
   while it is decoded. Every pixel of the image has a place. */
typedef struct halcyon_canvas {
    uint32_t *pixels;
    ptrdiff_t start, column, row;
} halcyon_canvas;

/* The image to encode. `copy_row` writes the `width` pixels of one row. It must call nothing here and must return. */
typedef struct halcyon_picture {
    uint32_t width, height;
    const void *context;
    void (*copy_row)(const void *context, uint32_t y, uint32_t *row);
} halcyon_picture;

/* Fills the canvas. Fails if the size in the file is not this size. */
int32_t halcyon_png_decode(
    const uint8_t *bytes, size_t count, uint32_t width, uint32_t height, const halcyon_canvas *canvas,
    halcyon_image_error *error);

/* Without alpha, omits the fourth byte of each pixel. */
int32_t halcyon_png_encode(
    const halcyon_picture *picture, int32_t has_alpha, halcyon_image_bytes *encoded, halcyon_image_error *error);

typedef struct halcyon_jpeg_size {
    uint32_t width, height;               /* as stored in the file */
    uint32_t eighths;                     /* 1 to 8: decode at this many eighths of the size */
    uint32_t scaled_width, scaled_height; /* the resulting size; fails if libjpeg computes another one */
    uint32_t most_scans;                  /* refuses files with more scans: each takes as long as an image */
} halcyon_jpeg_size;

/* Fills the canvas, which has the scaled size. */
int32_t halcyon_jpeg_decode(
    const uint8_t *bytes, size_t count, const halcyon_jpeg_size *size, const halcyon_canvas *canvas,
    halcyon_image_error *error);

typedef struct halcyon_jpeg_source {
    halcyon_picture picture; /* transparent pixels are composed over white */
    int32_t quality;         /* 1 to 100 */
    int32_t has_full_colour; /* otherwise each 2 x 2 pixels share one color */
    int32_t has_best_codes;  /* a shorter file, but keeps all coefficients in memory */
} halcyon_jpeg_source;

int32_t halcyon_jpeg_encode(
    const halcyon_jpeg_source *source, halcyon_image_bytes *encoded, halcyon_image_error *error);

typedef struct halcyon_webp_size {
    uint32_t width, height;               /* as stored in the file */
    uint32_t scaled_width, scaled_height; /* the size to decode to, no larger */
} halcyon_webp_size;

/* Decodes a still image: a whole file, or the chunks of an animation frame. Fills the canvas, which has the scaled size. Fails if
   the file has another size. A lossless image is in memory at full size while it is decoded. */
int32_t halcyon_webp_decode(
    const uint8_t *bytes, size_t count, const halcyon_webp_size *size, const halcyon_canvas *canvas,
    halcyon_image_error *error);

typedef struct halcyon_webp_source {
    halcyon_picture picture;
    float quality; /* 0 to 100; for a lossless file, the effort */
    int32_t is_lossless;
} halcyon_webp_source;

int32_t halcyon_webp_encode(
    const halcyon_webp_source *source, halcyon_image_bytes *encoded, halcyon_image_error *error);

/* Reads a GIF frame by frame: call next_frame, then read exactly `height` rows, and repeat. */
typedef struct halcyon_gif_reader halcyon_gif_reader;

typedef struct halcyon_gif_frame {
    int32_t left, top, width, height;
    int32_t is_interlaced;
    int32_t delay_hundredths;
    int32_t disposal;
    int32_t transparent_index; /* -1: none */
    int32_t loop_count;        /* as found so far; -1: none */
    int32_t colour_count;
    uint8_t colours[256][4];
} halcyon_gif_frame;

/* `bytes` must outlive the reader. Returns NULL with `error` set if the bytes are not a GIF. */
halcyon_gif_reader *halcyon_gif_open(const uint8_t *bytes, size_t count, halcyon_image_error *error);
void halcyon_gif_close(halcyon_gif_reader *reader);

/* Sets `found` to 0 at the end of the file. */
int32_t halcyon_gif_next_frame(
    halcyon_gif_reader *reader, halcyon_gif_frame *frame, int32_t *found, halcyon_image_error *error);

/* Reads the `width` palette indexes of the next row, in file order. */
int32_t halcyon_gif_read_row(
    halcyon_gif_reader *reader, uint8_t *indexes, int32_t width, halcyon_image_error *error);

typedef struct halcyon_gif_writer halcyon_gif_writer;

/* loop_count: 0 means forever, -1 writes none. Returns NULL with `error` set on failure. */
halcyon_gif_writer *halcyon_gif_create(int32_t width, int32_t height, int32_t loop_count, halcyon_image_error *error);

/* Adds a frame, which must be inside the canvas; then write exactly `height` rows. frame->colour_count is a power of two from 2 to
   256. */
int32_t halcyon_gif_add_frame(
    halcyon_gif_writer *writer, const halcyon_gif_frame *frame, halcyon_image_error *error);

/* Writes the `width` indexes of the frame's next row and overwrites the buffer. */
int32_t halcyon_gif_write_row(halcyon_gif_writer *writer, uint8_t *indexes, halcyon_image_error *error);

/* Ends the file. Always frees the writer, even on failure. */
int32_t halcyon_gif_finish(halcyon_gif_writer *writer, halcyon_image_bytes *encoded, halcyon_image_error *error);

#endif
