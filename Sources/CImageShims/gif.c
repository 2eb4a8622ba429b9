#if defined(HALCYON_IMAGE_CODECS)

#if !__has_include(<gif_lib.h>)
#error "giflib is missing: apt-get install libgif-dev, or build without the package trait ImageCodecs."
#endif

#include "support.h"

#include <gif_lib.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char netscape[] = "NETSCAPE2.0";
static const char animexts[] = "ANIMEXTS1.0";

static int32_t fail_with(halcyon_image_error *error, int gif_code) {
    bool is_early = gif_code == D_GIF_ERR_EOF_TOO_SOON || gif_code == D_GIF_ERR_READ_FAILED;
    bool is_memory = gif_code == D_GIF_ERR_NOT_ENOUGH_MEM || gif_code == E_GIF_ERR_NOT_ENOUGH_MEM;
    const char *text = GifErrorString(gif_code);
    return halcyon_fail(
        error,
        is_early        ? HALCYON_IMAGE_TRUNCATED
            : is_memory ? HALCYON_IMAGE_NO_MEMORY
                        : HALCYON_IMAGE_MALFORMED,
        is_early           ? "the file ends early"
            : text != NULL ? text
                           : "malformed GIF");
}

/* Reading */

struct halcyon_gif_reader {
    halcyon_source source;
    GifFileType *file;
    int loop_count;
};

static int on_read(GifFileType *file, GifByteType *into, int count) {
    return count > 0 ? (int)halcyon_source_read(file->UserData, into, (size_t)count) : 0;
}

halcyon_gif_reader *halcyon_gif_open(const uint8_t *bytes, size_t count, halcyon_image_error *error) {
    int code = D_GIF_ERR_NOT_ENOUGH_MEM;
    error->code = 0;
    halcyon_gif_reader *reader = calloc(1, sizeof *reader);
    if (reader != NULL) {
        reader->source = (halcyon_source){bytes, count};
        reader->loop_count = -1;
        reader->file = DGifOpen(&reader->source, on_read, &code);
        if (reader->file != NULL) return reader;
    }
    free(reader);
    fail_with(error, code);
    return NULL;
}

void halcyon_gif_close(halcyon_gif_reader *reader) {
    int code;
    DGifCloseFile(reader->file, &code);
    free(reader);
}

static void read_control(const GifByteType *block, halcyon_gif_frame *frame) {
    if (block[0] != 4) return;
    frame->disposal = (block[1] >> 2) & 7;
    frame->delay_hundredths = block[2] | block[3] << 8;
    frame->transparent_index = (block[1] & 1) != 0 ? block[4] : -1;
}

static bool is_loop_extension(const GifByteType *block) {
    return block[0] == 11 && (memcmp(block + 1, netscape, 11) == 0 || memcmp(block + 1, animexts, 11) == 0);
}

/* Reads one extension to its end and keeps the settings for drawing a frame. */
static int read_extension(halcyon_gif_reader *reader, halcyon_gif_frame *frame) {
    int function = 0;
    bool is_loop = false;
    GifByteType *block = NULL;
    if (DGifGetExtension(reader->file, &function, &block) == GIF_ERROR) return GIF_ERROR;
    for (int index = 0; block != NULL; index++) {
        if (index == 0 && function == GRAPHICS_EXT_FUNC_CODE) read_control(block, frame);
        if (index == 0 && function == APPLICATION_EXT_FUNC_CODE) is_loop = is_loop_extension(block);
        else if (is_loop && block[0] >= 3 && (block[1] & 7) == 1) reader->loop_count = block[2] | block[3] << 8;
        if (DGifGetExtensionNext(reader->file, &block) == GIF_ERROR) return GIF_ERROR;
    }
    return GIF_OK;
}

/* giflib keeps every frame it has read. Forget each one, so that memory does not grow with their number. */
static void forget_saved_images(GifFileType *file) {
    GifFreeSavedImages(file);
    file->SavedImages = NULL;
    file->ImageCount = 0;
}

/* giflib reports a read failure for an invalid LZW code size, which is the last byte it has read. */
static int describe_failure(halcyon_gif_reader *reader, halcyon_image_error *error) {
    bool is_code_size = reader->file->Error == D_GIF_ERR_READ_FAILED && reader->source.left > 0;
    if (is_code_size) halcyon_fail(error, HALCYON_IMAGE_MALFORMED, "LZW codes that begin with more than 8 bits");
    return GIF_ERROR;
}

static int read_description(halcyon_gif_reader *reader, halcyon_gif_frame *frame, halcyon_image_error *error) {
    if (DGifGetImageDesc(reader->file) == GIF_ERROR) return describe_failure(reader, error);
    const GifImageDesc *image = &reader->file->Image;
    const ColorMapObject *map = image->ColorMap != NULL ? image->ColorMap : reader->file->SColorMap;
    frame->left = image->Left;
    frame->top = image->Top;
    frame->width = image->Width;
    frame->height = image->Height;
    frame->is_interlaced = image->Interlace;
    frame->colour_count = map == NULL ? 0 : map->ColorCount < 256 ? map->ColorCount : 256;
    for (int index = 0; index < frame->colour_count; index++) {
        GifColorType colour = map->Colors[index];
        uint8_t pixel[4] = {colour.Red, colour.Green, colour.Blue, 0xFF};
        memcpy(frame->colours[index], pixel, sizeof pixel);
    }
    forget_saved_images(reader->file);
    return GIF_OK;
}

/* A file may lack its last byte, the trailer, or have other bytes in its place, and still have all frames. */
static int read_record_type(halcyon_gif_reader *reader, GifRecordType *type) {
    bool is_block = reader->source.left > 0 && memchr("!,", *reader->source.next, 2) != NULL;
    *type = TERMINATE_RECORD_TYPE;
    return is_block ? DGifGetRecordType(reader->file, type) : GIF_OK;
}

int32_t halcyon_gif_next_frame(
    halcyon_gif_reader *reader, halcyon_gif_frame *frame, int32_t *found, halcyon_image_error *error
) {
    error->code = 0;
    *found = 0;
    memset(frame, 0, sizeof *frame);
    frame->transparent_index = -1;
    GifRecordType type = UNDEFINED_RECORD_TYPE;
    int result = GIF_OK;
    while (result == GIF_OK && *found == 0 && type != TERMINATE_RECORD_TYPE) {
        result = read_record_type(reader, &type);
        if (result == GIF_OK && type == EXTENSION_RECORD_TYPE) result = read_extension(reader, frame);
        if (result == GIF_OK && type == IMAGE_DESC_RECORD_TYPE) {
            result = read_description(reader, frame, error);
            *found = 1;
        }
    }
    frame->loop_count = reader->loop_count;
    return result == GIF_OK ? 0 : fail_with(error, reader->file->Error);
}

int32_t halcyon_gif_read_row(
    halcyon_gif_reader *reader, uint8_t *indexes, int32_t width, halcyon_image_error *error
) {
    error->code = 0;
    return DGifGetLine(reader->file, indexes, width) == GIF_ERROR ? fail_with(error, reader->file->Error) : 0;
}

/* Writing */

struct halcyon_gif_writer {
    GifFileType *file;
    int width, height;
    int row; /* pixels in a row of the frame */
    halcyon_output output;
};

static int on_write(GifFileType *file, const GifByteType *bytes, int count) {
    halcyon_gif_writer *writer = file->UserData;
    if (count <= 0) return 0;
    return halcyon_output_append(&writer->output, bytes, (size_t)count) ? count : 0;
}

static bool write_loop_count(GifFileType *file, int32_t count) {
    const uint8_t block[] = {1, (uint8_t)(count & 0xFF), (uint8_t)(count >> 8)};
    if (count < 0) return true;
    return EGifPutExtensionLeader(file, APPLICATION_EXT_FUNC_CODE) == GIF_OK
        && EGifPutExtensionBlock(file, 11, netscape) == GIF_OK
        && EGifPutExtensionBlock(file, sizeof block, block) == GIF_OK
        && EGifPutExtensionTrailer(file) == GIF_OK;
}

static bool write_start(halcyon_gif_writer *writer, int32_t loop_count) {
    EGifSetGifVersion(writer->file, true);
    return EGifPutScreenDesc(writer->file, writer->width, writer->height, 8, 0, NULL) == GIF_OK
        && write_loop_count(writer->file, loop_count);
}

halcyon_gif_writer *halcyon_gif_create(int32_t width, int32_t height, int32_t loop_count, halcyon_image_error *error) {
    int code = E_GIF_ERR_NOT_ENOUGH_MEM;
    error->code = 0;
    halcyon_gif_writer *writer = calloc(1, sizeof *writer);
    if (writer != NULL) {
        writer->width = width;
        writer->height = height;
        writer->file = EGifOpen(writer, on_write, &code);
        if (writer->file != NULL) {
            if (write_start(writer, loop_count)) return writer;
            EGifCloseFile(writer->file, &code);
            free(writer->output.encoded.bytes);
        }
    }
    free(writer);
    halcyon_fail(error, HALCYON_IMAGE_NO_MEMORY, "giflib could not begin a file");
    return NULL;
}

static bool write_control(GifFileType *file, const halcyon_gif_frame *frame) {
    const bool has_transparency = frame->transparent_index >= 0;
    const uint8_t block[] = {
        (uint8_t)(frame->disposal << 2 | (has_transparency ? 1 : 0)), (uint8_t)(frame->delay_hundredths & 0xFF),
        (uint8_t)(frame->delay_hundredths >> 8), (uint8_t)(has_transparency ? frame->transparent_index : 0)};
    return EGifPutExtension(file, GRAPHICS_EXT_FUNC_CODE, sizeof block, block) == GIF_OK;
}

static bool write_description(halcyon_gif_writer *writer, const halcyon_gif_frame *frame) {
    ColorMapObject *map = GifMakeMapObject(frame->colour_count, NULL);
    if (map == NULL) return false;
    for (int index = 0; index < frame->colour_count; index++) {
        const uint8_t *colour = frame->colours[index];
        map->Colors[index] = (GifColorType){colour[0], colour[1], colour[2]};
    }
    int result =
        EGifPutImageDesc(writer->file, frame->left, frame->top, frame->width, frame->height, false, map);
    GifFreeMapObject(map);
    return result == GIF_OK;
}

int32_t halcyon_gif_add_frame(
    halcyon_gif_writer *writer, const halcyon_gif_frame *frame, halcyon_image_error *error
) {
    error->code = 0;
    writer->row = frame->width;
    bool is_written = write_control(writer->file, frame) && write_description(writer, frame);
    return is_written ? 0 : halcyon_fail(error, HALCYON_IMAGE_NO_MEMORY, "giflib could not begin a frame");
}

int32_t halcyon_gif_write_row(halcyon_gif_writer *writer, uint8_t *indexes, halcyon_image_error *error) {
    error->code = 0;
    bool is_written = EGifPutLine(writer->file, indexes, writer->row) == GIF_OK;
    return is_written ? 0 : halcyon_fail(error, HALCYON_IMAGE_NO_MEMORY, "giflib could not write a row");
}

int32_t halcyon_gif_finish(halcyon_gif_writer *writer, halcyon_image_bytes *encoded, halcyon_image_error *error) {
    int code = 0;
    error->code = 0;
    if (EGifCloseFile(writer->file, &code) == GIF_ERROR) fail_with(error, code);
    int32_t result = halcyon_output_end(&writer->output, encoded, error);
    free(writer);
    return result;
}

#endif
