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

int halcyon_output_append(halcyon_output *output, const void *bytes, size_t count) {
    halcyon_image_bytes *encoded = &output->encoded;
    if (output->has_failed) return 0;
    if (count > output->room - encoded->count) {
        size_t grown = output->room + output->room / 2 + count + 4096;
        uint8_t *block = realloc(encoded->bytes, grown);
        output->has_failed = block == NULL;
        if (block == NULL) return 0;
        encoded->bytes = block;
        output->room = grown;
    }
    if (count > 0) memcpy(encoded->bytes + encoded->count, bytes, count);
    encoded->count += count;
    return 1;
}

int32_t halcyon_output_end(
    const halcyon_output *output, halcyon_image_bytes *encoded, halcyon_image_error *error
) {
    if (output->has_failed) halcyon_fail(error, HALCYON_IMAGE_NO_MEMORY, "no memory for the file");
    if (error->code != 0) free(output->encoded.bytes);
    else *encoded = output->encoded;
    return error->code;
}

typedef uint32_t four __attribute__((vector_size(16)));

/* Transposes 4 x 4 pixels. `step` is 1, or -1 if the first row becomes the last column. */
static void place_block(uint8_t *const *rows, size_t x, uint32_t *to, ptrdiff_t column, ptrdiff_t step) {
    four row[4], low[2], high[2];
    for (int y = 0; y < 4; y++) memcpy(&row[y], rows[step > 0 ? y : 3 - y] + x * 4, sizeof(four));
    for (int pair = 0; pair < 2; pair++) {
        low[pair] = __builtin_shufflevector(row[pair * 2], row[pair * 2 + 1], 0, 4, 1, 5);
        high[pair] = __builtin_shufflevector(row[pair * 2], row[pair * 2 + 1], 2, 6, 3, 7);
    }
    four columns[] = {
        __builtin_shufflevector(low[0], low[1], 0, 1, 4, 5), __builtin_shufflevector(low[0], low[1], 2, 3, 6, 7),
        __builtin_shufflevector(high[0], high[1], 0, 1, 4, 5), __builtin_shufflevector(high[0], high[1], 2, 3, 6, 7)};
    if (step < 0) to -= 3;
    for (int index = 0; index < 4; index++) memcpy(to + index * column, &columns[index], sizeof(four));
}

static void place_part(
    uint8_t *const *rows, size_t count, size_t x, size_t end, uint32_t *to, const halcyon_canvas *canvas
) {
    for (size_t y = 0; y < count; y++)
        for (size_t at = x; at < end; at++)
            to[(ptrdiff_t)y * canvas->row + (ptrdiff_t)at * canvas->column] = ((const uint32_t *)rows[y])[at];
}

/* Transposes rows into columns block by block, so that pixels written together are adjacent in memory. */
static void place_turned(
    uint8_t *const *rows, size_t count, size_t width, uint32_t *to, const halcyon_canvas *canvas
) {
    for (size_t x = 0; x < width; x += 4) {
        size_t y = 0;
        for (; x + 4 <= width && y + 4 <= count; y += 4)
            place_block(
                rows + y, x, to + (ptrdiff_t)x * canvas->column + (ptrdiff_t)y * canvas->row, canvas->column,
                canvas->row);
        place_part(
            rows + y, count - y, x, x + 4 < width ? x + 4 : width, to + (ptrdiff_t)y * canvas->row, canvas);
    }
}

void halcyon_place(uint8_t *const *rows, size_t first, size_t count, size_t width, const halcyon_canvas *canvas) {
    uint32_t *to = canvas->pixels + canvas->start + (ptrdiff_t)first * canvas->row;
    if (canvas->row == 1 || canvas->row == -1) place_turned(rows, count, width, to, canvas);
    else place_part(rows, count, 0, width, to, canvas);
}

#endif
