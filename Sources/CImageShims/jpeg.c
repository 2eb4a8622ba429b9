#if defined(HALCYON_IMAGE_CODECS)

#if !__has_include(<jpeglib.h>)
#error "libjpeg-turbo is missing: apt-get install libjpeg-dev, or build without the package trait ImageCodecs."
#endif

#include "support.h"

#include <stdio.h>

#include <jpeglib.h>
#include <jerror.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#if !defined(JCS_ALPHA_EXTENSIONS)
#error "this libjpeg is not libjpeg-turbo: it cannot write RGBA."
#endif

typedef struct jpeg_escape {
    struct jpeg_error_mgr manager; /* first, so that libjpeg's pointer is ours */
    jmp_buf jump;
    halcyon_image_error *error;
    int has_run_out; /* of input data */
} jpeg_escape;

static void on_error(j_common_ptr jpeg) {
    jpeg_escape *escape = (jpeg_escape *)jpeg->err;
    char text[JMSG_LENGTH_MAX];
    escape->manager.format_message(jpeg, text);
    int code = escape->manager.msg_code;
    int32_t kind = escape->has_run_out        ? HALCYON_IMAGE_TRUNCATED
        : code == JERR_OUT_OF_MEMORY          ? HALCYON_IMAGE_NO_MEMORY
        : code == JERR_SOF_UNSUPPORTED        ? HALCYON_IMAGE_UNSUPPORTED
        : code == JERR_BAD_PRECISION          ? HALCYON_IMAGE_UNSUPPORTED
        : code == JERR_CONVERSION_NOTIMPL     ? HALCYON_IMAGE_UNSUPPORTED
                                              : HALCYON_IMAGE_MALFORMED;
    halcyon_fail(escape->error, kind, text);
    longjmp(escape->jump, 1);
}

/* libjpeg fills missing data with gray and warns. A partial image must not pass for a whole one. */
static void on_message(j_common_ptr jpeg, int level) {
    if (level >= 0) return;
    switch (jpeg->err->msg_code) {
        case JWRN_HIT_MARKER:
        case JWRN_HUFF_BAD_CODE:
        case JWRN_MUST_RESYNC:
            on_error(jpeg);
    }
}

static void on_text(j_common_ptr jpeg) {
    (void)jpeg;
}

static struct jpeg_error_mgr *prepare_escape(jpeg_escape *escape, halcyon_image_error *error) {
    error->code = 0;
    memset(escape, 0, sizeof *escape);
    escape->error = error;
    struct jpeg_error_mgr *manager = jpeg_std_error(&escape->manager);
    manager->error_exit = on_error;
    manager->emit_message = on_message;
    manager->output_message = on_text;
    return manager;
}

/* Reading */

static void on_source(j_decompress_ptr jpeg) {
    (void)jpeg;
}

/* At the end of the data, supply an end marker: a file that lacks only this marker is complete. */
static boolean on_fill(j_decompress_ptr jpeg) {
    static const JOCTET end[] = {0xFF, JPEG_EOI};
    ((jpeg_escape *)jpeg->err)->has_run_out = 1;
    jpeg->src->next_input_byte = end;
    jpeg->src->bytes_in_buffer = sizeof end;
    return TRUE;
}

static void on_skip(j_decompress_ptr jpeg, long count) {
    if (count <= 0) return;
    struct jpeg_source_mgr *source = jpeg->src;
    size_t skipped = (size_t)count < source->bytes_in_buffer ? (size_t)count : source->bytes_in_buffer;
    source->next_input_byte += skipped;
    source->bytes_in_buffer -= skipped;
}

typedef struct jpeg_progress {
    struct jpeg_progress_mgr manager; /* first, so that libjpeg's pointer is ours */
    int most_scans;
} jpeg_progress;

static void on_progress(j_common_ptr common) {
    j_decompress_ptr jpeg = (j_decompress_ptr)common;
    if (jpeg->input_scan_number <= ((jpeg_progress *)jpeg->progress)->most_scans) return;
    halcyon_fail(((jpeg_escape *)jpeg->err)->error, HALCYON_IMAGE_UNSUPPORTED, "too many scans");
    on_error(common);
}

/* Adobe stores the four inks inverted (255 is no ink). Other programs do the same, with and without its marker. */
static void inks_to_rgba(uint8_t *row, uint32_t width) {
    for (uint8_t *pixel = row; pixel < row + (size_t)width * 4; pixel += 4) {
        for (int ink = 0; ink < 3; ink++) pixel[ink] = (uint8_t)((pixel[ink] * pixel[3] + 127) / 255);
        pixel[3] = 0xFF;
    }
}

static void stop_decoding(j_decompress_ptr jpeg, int32_t code, const char *text) {
    halcyon_fail(((jpeg_escape *)jpeg->err)->error, code, text);
    on_error((j_common_ptr)jpeg);
}

static int has_inks(j_decompress_ptr jpeg) {
    return jpeg->jpeg_color_space == JCS_CMYK || jpeg->jpeg_color_space == JCS_YCCK;
}

/* libjpeg fills a component without a scan with gray. A component with a scan takes at least a bit per block: without this check,
   a tiny file could state any size. */
static void require_each_component(j_decompress_ptr jpeg) {
    for (int index = 0; index < jpeg->num_components; index++) {
        int is_there = jpeg->progressive_mode ? jpeg->coef_bits[index][0] >= 0
                                              : jpeg->comp_info[index].quant_table != NULL;
        if (!is_there) stop_decoding(jpeg, HALCYON_IMAGE_MALFORMED, "a component without pixels");
    }
}

static void start_decoding(j_decompress_ptr jpeg, const halcyon_jpeg_size *size) {
    jpeg_read_header(jpeg, TRUE);
    if (jpeg->image_width != size->width || jpeg->image_height != size->height)
        stop_decoding(jpeg, HALCYON_IMAGE_MALFORMED, "the header was misread");
    if (jpeg->jpeg_color_space == JCS_UNKNOWN)
        stop_decoding(jpeg, HALCYON_IMAGE_UNSUPPORTED, "an unsupported number of color components");
    jpeg->out_color_space = has_inks(jpeg) ? JCS_CMYK : JCS_EXT_RGBA;
    jpeg->scale_num = size->eighths;
    jpeg->scale_denom = 8;
    jpeg_start_decompress(jpeg);
    if (jpeg->output_width != size->scaled_width || jpeg->output_height != size->scaled_height)
        stop_decoding(jpeg, HALCYON_IMAGE_MALFORMED, "libjpeg computed a different scaled size");
    /* libjpeg has now read all scans. Without an end marker, the finest one may be missing. */
    if (jpeg_has_multiple_scans(jpeg) && ((jpeg_escape *)jpeg->err)->has_run_out)
        stop_decoding(jpeg, HALCYON_IMAGE_TRUNCATED, "the file ends early");
    require_each_component(jpeg);
}

/* Enough rows for those of a turned image to fill whole cache lines, few enough to stay in the cache. */
enum { STRIP = 32 };

/* Decodes rows that stay rows in place, and other rows into a strip whose memory libjpeg owns. */
static void point_to_rows(j_decompress_ptr jpeg, const halcyon_canvas *canvas, JSAMPARRAY strip, JSAMPROW *rows) {
    for (size_t index = 0; index < STRIP; index++) {
        ptrdiff_t y = (ptrdiff_t)(jpeg->output_scanline + index);
        rows[index] = strip != NULL ? strip[index] : (JSAMPROW)(canvas->pixels + canvas->start + y * canvas->row);
    }
}

static void read_strip(j_decompress_ptr jpeg, const halcyon_canvas *canvas, JSAMPARRAY strip) {
    JSAMPROW rows[STRIP];
    JDIMENSION first = jpeg->output_scanline, left = jpeg->output_height - first, count = 0;
    point_to_rows(jpeg, canvas, strip, rows);
    while (count < STRIP && count < left)
        count += jpeg_read_scanlines(jpeg, rows + count, (left < STRIP ? left : STRIP) - count);
    for (JDIMENSION index = 0; index < count && has_inks(jpeg); index++) inks_to_rgba(rows[index], jpeg->output_width);
    if (strip != NULL) halcyon_place(rows, first, count, jpeg->output_width, canvas);
}

static void read_rows(j_decompress_ptr jpeg, const halcyon_canvas *canvas) {
    JSAMPARRAY strip = canvas->column == 1
        ? NULL
        : jpeg->mem->alloc_sarray((j_common_ptr)jpeg, JPOOL_IMAGE, jpeg->output_width * 4, STRIP);
    while (jpeg->output_scanline < jpeg->output_height) read_strip(jpeg, canvas, strip);
}

/* setjmp is in its own function, because a jump may clobber the local variables of the function that calls it. */
static void try_to_read(
    j_decompress_ptr jpeg, jpeg_escape *escape, struct jpeg_source_mgr *source, jpeg_progress *progress,
    const halcyon_jpeg_size *size, const halcyon_canvas *canvas
) {
    if (setjmp(escape->jump) != 0) return;
    jpeg_create_decompress(jpeg);
    jpeg->src = source;
    jpeg->progress = &progress->manager;
    start_decoding(jpeg, size);
    read_rows(jpeg, canvas);
}

int32_t halcyon_jpeg_decode(
    const uint8_t *bytes, size_t count, const halcyon_jpeg_size *size, const halcyon_canvas *canvas,
    halcyon_image_error *error
) {
    struct jpeg_decompress_struct jpeg;
    jpeg_escape escape;
    jpeg_progress progress = {{.progress_monitor = on_progress}, (int)size->most_scans};
    struct jpeg_source_mgr source = {
        .next_input_byte = bytes, .bytes_in_buffer = count, .init_source = on_source, .fill_input_buffer = on_fill,
        .skip_input_data = on_skip, .resync_to_restart = jpeg_resync_to_restart, .term_source = on_source,
    };
    memset(&jpeg, 0, sizeof jpeg);
    jpeg.err = prepare_escape(&escape, error);
    try_to_read(&jpeg, &escape, &source, &progress, size, canvas);
    jpeg_destroy_decompress(&jpeg);
    return error->code;
}

/* Writing */

typedef struct jpeg_output {
    struct jpeg_destination_mgr manager; /* first, so that libjpeg's pointer is ours */
    halcyon_output output;
    JOCTET part[16384];
} jpeg_output;

static void on_destination(j_compress_ptr jpeg) {
    jpeg_output *output = (jpeg_output *)jpeg->dest;
    output->manager.next_output_byte = output->part;
    output->manager.free_in_buffer = sizeof output->part;
}

static void keep(j_compress_ptr jpeg, size_t count) {
    jpeg_output *output = (jpeg_output *)jpeg->dest;
    if (halcyon_output_append(&output->output, output->part, count)) return;
    halcyon_fail(((jpeg_escape *)jpeg->err)->error, HALCYON_IMAGE_NO_MEMORY, "no memory for the JPEG");
    on_error((j_common_ptr)jpeg);
}

static boolean on_full(j_compress_ptr jpeg) {
    keep(jpeg, sizeof((jpeg_output *)jpeg->dest)->part);
    on_destination(jpeg);
    return TRUE;
}

static void on_end(j_compress_ptr jpeg) {
    keep(jpeg, sizeof((jpeg_output *)jpeg->dest)->part - jpeg->dest->free_in_buffer);
}

static void start_encoding(j_compress_ptr jpeg, const halcyon_jpeg_source *source) {
    jpeg->image_width = source->picture.width;
    jpeg->image_height = source->picture.height;
    jpeg->input_components = 4;
    jpeg->in_color_space = JCS_EXT_RGBX;
    jpeg_set_defaults(jpeg);
    jpeg_set_quality(jpeg, source->quality, TRUE);
    jpeg->optimize_coding = source->has_best_codes;
    if (source->has_full_colour) jpeg->comp_info[0].h_samp_factor = jpeg->comp_info[0].v_samp_factor = 1;
    jpeg_start_compress(jpeg, TRUE);
}

static void lay_on_white(uint8_t *row, uint32_t width) {
    for (uint8_t *pixel = row; pixel < row + (size_t)width * 4; pixel += 4) {
        unsigned alpha = pixel[3];
        for (int part = 0; part < 3; part++)
            pixel[part] = (uint8_t)((pixel[part] * alpha + 255 * (255 - alpha) + 127) / 255);
    }
}

static void write_rows(j_compress_ptr jpeg, const halcyon_picture *picture, uint32_t *row) {
    JSAMPROW bytes = (JSAMPROW)row;
    while (jpeg->next_scanline < jpeg->image_height) {
        picture->copy_row(picture->context, jpeg->next_scanline, row);
        lay_on_white(bytes, jpeg->image_width);
        jpeg_write_scanlines(jpeg, &bytes, 1);
    }
    jpeg_finish_compress(jpeg);
}

static void try_to_write(
    j_compress_ptr jpeg, jpeg_escape *escape, jpeg_output *output, const halcyon_jpeg_source *source, uint32_t *row
) {
    if (setjmp(escape->jump) != 0) return;
    jpeg_create_compress(jpeg);
    jpeg->dest = &output->manager;
    start_encoding(jpeg, source);
    write_rows(jpeg, &source->picture, row);
}

int32_t halcyon_jpeg_encode(
    const halcyon_jpeg_source *source, halcyon_image_bytes *encoded, halcyon_image_error *error
) {
    struct jpeg_compress_struct jpeg;
    jpeg_escape escape;
    jpeg_output output = {
        .manager = {
            .init_destination = on_destination, .empty_output_buffer = on_full, .term_destination = on_end}};
    memset(&jpeg, 0, sizeof jpeg);
    jpeg.err = prepare_escape(&escape, error);
    uint32_t *row = malloc((size_t)source->picture.width * 4);
    if (row == NULL) return halcyon_fail(error, HALCYON_IMAGE_NO_MEMORY, "no memory for a row");
    try_to_write(&jpeg, &escape, &output, source, row);
    jpeg_destroy_compress(&jpeg);
    free(row);
    return halcyon_output_end(&output.output, encoded, error);
}

#endif
