#ifndef CHALCYON_IMAGE_SHIMS_H
#define CHALCYON_IMAGE_SHIMS_H

#include <stddef.h>
#include <stdint.h>

/* libpng, libjpeg and giflib for Swift. libpng and libjpeg report errors by longjmp, which must not cross Swift: each
   call here ends its jumps inside. Each returns 0, or a HALCYON_IMAGE_… number with the same number and a text in
   `error`. Pixels are RGBA, 8 bits each, straight alpha, rows from the top without gaps. */

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

/* Where the pixels of a file go: the one at (x, y) to start + x * column + y * row, counted in whole pixels. So they are
   turned on their way. Each pixel of the picture has a place. */
typedef struct halcyon_canvas {
    uint32_t *pixels;
    ptrdiff_t start, column, row;
} halcyon_canvas;

/* What is to be encoded. `copy_row` writes the `width` pixels of one row, calls nothing here, and returns. */
typedef struct halcyon_picture {
    uint32_t width, height;
    const void *context;
    void (*copy_row)(const void *context, uint32_t y, uint32_t *row);
} halcyon_picture;

/* Fills the canvas. Another size in the file than this one is an error. */
int32_t halcyon_png_decode(
    const uint8_t *bytes, size_t count, uint32_t width, uint32_t height, const halcyon_canvas *canvas,
    halcyon_image_error *error);

/* Without alpha, the fourth byte of each pixel is left out. */
int32_t halcyon_png_encode(
    const halcyon_picture *picture, int32_t has_alpha, halcyon_image_bytes *encoded, halcyon_image_error *error);

typedef struct halcyon_jpeg_size {
    uint32_t width, height;               /* as stored in the file */
    uint32_t eighths;                     /* 1 to 8: decode at this many eighths of it */
    uint32_t scaled_width, scaled_height; /* the size that follows from both; other results are an error */
    uint32_t most_scans;                  /* a file with more scans is refused: each takes as long as a picture */
} halcyon_jpeg_size;

/* Fills the canvas, which has the scaled size. */
int32_t halcyon_jpeg_decode(
    const uint8_t *bytes, size_t count, const halcyon_jpeg_size *size, const halcyon_canvas *canvas,
    halcyon_image_error *error);

typedef struct halcyon_jpeg_source {
    halcyon_picture picture; /* transparent pixels are laid on white */
    int32_t quality;         /* 1 to 100 */
    int32_t has_full_colour; /* else one colour is kept for every two by two pixels */
    int32_t has_best_codes;  /* a shorter file, for which all of it is in memory as coefficients */
} halcyon_jpeg_source;

int32_t halcyon_jpeg_encode(
    const halcyon_jpeg_source *source, halcyon_image_bytes *encoded, halcyon_image_error *error);

/* A GIF is read frame by frame: next_frame, then exactly `height` rows, and again. */
typedef struct halcyon_gif_reader halcyon_gif_reader;

typedef struct halcyon_gif_frame {
    int32_t left, top, width, height;
    int32_t is_interlaced;
    int32_t delay_hundredths;
    int32_t disposal;
    int32_t transparent_index; /* -1: none */
    int32_t loop_count;        /* as read so far; -1: none */
    int32_t colour_count;
    uint8_t colours[256][4];
} halcyon_gif_frame;

/* `bytes` must outlive the reader. NULL with `error` filled if there is no GIF. */
halcyon_gif_reader *halcyon_gif_open(const uint8_t *bytes, size_t count, halcyon_image_error *error);
void halcyon_gif_close(halcyon_gif_reader *reader);

/* `found` becomes 0 at the end of the file. */
int32_t halcyon_gif_next_frame(
    halcyon_gif_reader *reader, halcyon_gif_frame *frame, int32_t *found, halcyon_image_error *error);

/* Palette indexes of the next row in the order of the file, `width` of them. */
int32_t halcyon_gif_read_row(
    halcyon_gif_reader *reader, uint8_t *indexes, int32_t width, halcyon_image_error *error);

typedef struct halcyon_gif_writer halcyon_gif_writer;

/* loop_count: 0 for ever, -1: none is written. NULL with `error` filled if that failed. */
halcyon_gif_writer *halcyon_gif_create(int32_t width, int32_t height, int32_t loop_count, halcyon_image_error *error);

/* A frame that covers the canvas; then exactly `height` rows. frame->colour_count is a power of two from 2 to 256. */
int32_t halcyon_gif_add_frame(
    halcyon_gif_writer *writer, const halcyon_gif_frame *frame, halcyon_image_error *error);

/* The `width` indexes of the next row, which are spoilt afterwards. */
int32_t halcyon_gif_write_row(halcyon_gif_writer *writer, uint8_t *indexes, halcyon_image_error *error);

/* Ends the file and frees the writer, whatever it returns. */
int32_t halcyon_gif_finish(halcyon_gif_writer *writer, halcyon_image_bytes *encoded, halcyon_image_error *error);

#endif
