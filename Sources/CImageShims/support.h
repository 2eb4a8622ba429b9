#ifndef HALCYON_IMAGE_SUPPORT_H
#define HALCYON_IMAGE_SUPPORT_H

#include "halcyon_image_shims.h"

/* Bytes being read. */
typedef struct halcyon_source {
    const uint8_t *next;
    size_t left;
} halcyon_source;

/* Copies up to `count` bytes; returns how many there were. */
size_t halcyon_source_read(halcyon_source *source, void *into, size_t count);

/* Keeps the first failure: what follows it is only its echo. Returns the code kept. */
int32_t halcyon_fail(halcyon_image_error *error, int32_t code, const char *text);

/* Appends, growing by half at least. `room` is the size of the block. Returns 0 when there is no memory. */
int halcyon_bytes_append(halcyon_image_bytes *encoded, size_t *room, const void *bytes, size_t count);

/* Puts rows of the file where they belong, `first` being the number of the first one. */
void halcyon_place(uint8_t *const *rows, size_t first, size_t count, size_t width, const halcyon_canvas *canvas);

#endif
