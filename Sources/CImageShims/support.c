#if defined(HALCYON_IMAGE_CODECS)

#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t halcyon_source_read(halcyon_source *source, void *into, size_t count) {
    size_t taken = count < source->left ? count : source->left;
    if (taken > 0) memcpy(into, source->next, taken);
    source->next += taken;
    source->left -= taken;
    return taken;
}

int32_t halcyon_fail(halcyon_image_error *error, int32_t code, const char *text) {
    if (error->code == 0) {
        error->code = code;
        snprintf(error->text, sizeof error->text, "%s", text);
    }
    return error->code;
}

int halcyon_bytes_append(halcyon_image_bytes *encoded, size_t *room, const void *bytes, size_t count) {
    if (count > *room - encoded->count) {
        size_t grown = *room + *room / 2 + count + 4096;
        uint8_t *block = realloc(encoded->bytes, grown);
        if (block == NULL) return 0;
        encoded->bytes = block;
        *room = grown;
    }
    if (count > 0) memcpy(encoded->bytes + encoded->count, bytes, count);
    encoded->count += count;
    return 1;
}

#endif
