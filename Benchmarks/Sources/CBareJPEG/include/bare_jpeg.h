#ifndef BARE_JPEG_H
#define BARE_JPEG_H

#include <stddef.h>
#include <stdint.h>

/* Decodes a JPEG into RGBA, scaled to some eighths, with libjpeg-turbo and nothing around it: what a decoder that adds no work
   would take. The caller frees the pixels. NULL if there is no memory; a damaged file ends the process, as libjpeg does by itself. */
uint8_t *bare_jpeg_decode(const uint8_t *bytes, size_t count, uint32_t eighths, uint32_t *width, uint32_t *height);

#endif
