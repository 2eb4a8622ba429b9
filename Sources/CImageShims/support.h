#ifndef HALCYON_IMAGE_SUPPORT_H
#define HALCYON_IMAGE_SUPPORT_H

#include "halcyon_image_shims.h"

/* The bytes left to read. */
typedef struct halcyon_source {
    const uint8_t *next;
    size_t left;
} halcyon_source;

/* Copies up to `count` bytes and returns the number copied. */
size_t halcyon_source_read(halcyon_source *source, void *into, size_t count);

/* Keeps only the first failure: later ones follow from it. Returns the code kept. */
int32_t halcyon_fail(halcyon_image_error *error, int32_t code, const char *text);

/* The bytes written so far, in a block of `room` bytes. */
typedef struct halcyon_output {
    halcyon_image_bytes encoded;
    size_t room;
    /* Sticky, because not every library stops when it cannot write. */
    int has_failed;
} halcyon_output;

/* Appends, growing the block by at least half. Returns 0 if there is no memory, from then on. */
int halcyon_output_append(halcyon_output *output, const void *bytes, size_t count);

/* Passes the bytes on, or frees them after an error, also one of an earlier append. Returns the error's code. */
int32_t halcyon_output_end(
    const halcyon_output *output, halcyon_image_bytes *encoded, halcyon_image_error *error);

/* Writes rows of the file to their places on the canvas. `first` is the number of the first row. */
void halcyon_place(uint8_t *const *rows, size_t first, size_t count, size_t width, const halcyon_canvas *canvas);

#endif
