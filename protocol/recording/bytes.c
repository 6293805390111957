/* Small frames, as clashd writes them, are taken as a whole, so that nothing of a damaged one gets through: its checksum is
 * at its end. Large ones (of other compressors) are streamed. After damage the next frame is looked for by its magic
 * number. See bytes.h. */
#include "bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "first_bytes.h"

/** Compressed bytes in memory; a frame that is no larger can be taken as a whole. */
#define INPUT_MAX (512u << 10)
/** Decompressed bytes in memory. */
#define OUTPUT_MAX (1u << 20)
#define MAGIC_BYTES 4
/** How far back a frame may refer: zstd's own default, which all of its levels keep to. */
#define WINDOW_LOG_MAX 27

struct recording_bytes {
    FILE *file;
    uint64_t total;  /* bytes of it; 0: it is no file */
    uint64_t behind; /* where in the file the input ends */
    bool is_begun, is_compressed, is_streaming;
    bool at_end;       /* of the file */
    int error;         /* errno of a read that failed, until it has been said */
    bool is_torn;      /* that has been said */
    size_t start, end; /* of the input: what has not been taken */
    uint64_t place,
        skip;          /* of what was read last: where in the file its frame begins, and how far behind that it does */
    uint64_t streamed; /* decompressed bytes of the frame that is streamed */
    uint64_t passed_over; /* decompressed bytes yet to be, after going to a place */
    ZSTD_DCtx *context;
    char *output;
    const char *why; /* of a stretch that is being left out; NULL: there is none */
    unsigned long long left_out;
    char input[INPUT_MAX];
};

/* Return NULL with out_failure. */
static FILE *open_file(const char *path, bool only_files, struct stat *out_status, failure *out_failure)
{
    const bool is_standard = !only_files && strcmp(path, RECORDING_STANDARD_INPUT) == 0;
    const int fd =
        is_standard ? fileno(stdin) : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (only_files ? O_NONBLOCK : 0));
    const bool is_there = fd >= 0 && fstat(fd, out_status) == 0;
    FILE *file = !is_there ? NULL : is_standard ? stdin : fdopen(fd, "r");

    if (!file)
        fail_with(out_failure, "%s", strerror(errno));
    if (!file && fd >= 0 && !is_standard)
        close(fd);
    if (!file || !only_files || S_ISREG(out_status->st_mode))
        return file;
    fail_with(out_failure, "is no regular file; expected one, which can be gone through to and fro");
    fclose(file);
    return NULL;
}

recording_bytes *recording_bytes_open(const char *path, bool only_files, failure *out_failure)
{
    recording_bytes *b = calloc(1, sizeof *b);
    struct stat status;

    if (!b) {
        fail_with(out_failure, "out of memory");
        return NULL;
    }
    b->file = open_file(path, only_files, &status, out_failure);
    if (!b->file) {
        free(b);
        return NULL;
    }
    if (S_ISREG(status.st_mode))
        b->total = (uint64_t)status.st_size;
    return b;
}

void recording_bytes_close(recording_bytes *b)
{
    if (!b)
        return;
    if (b->file != stdin)
        fclose(b->file);
    ZSTD_freeDCtx(b->context);
    free(b->output);
    free(b);
}

void recording_bytes_get_extent(const recording_bytes *b, uint64_t *out_taken, uint64_t *out_total)
{
    *out_taken = b->behind - (b->end - b->start);
    *out_total = b->total;
}

bool recording_bytes_is_compressed(const recording_bytes *b)
{
    return b->is_compressed;
}

bool recording_bytes_is_passing(const recording_bytes *b)
{
    return b->passed_over > 0;
}

void recording_bytes_get_place(const recording_bytes *b, uint64_t *out_offset, uint64_t *out_skip)
{
    *out_offset = b->place;
    *out_skip = b->skip;
}

int recording_bytes_go(recording_bytes *b, uint64_t offset, uint64_t skip)
{
    if (fseeko(b->file, (off_t)offset, SEEK_SET) != 0)
        return -1;
    clearerr(b->file);
    b->is_streaming = b->at_end = false;
    b->error = 0;
    b->why = NULL;
    b->start = b->end = 0;
    b->behind = b->place = offset;
    b->passed_over = b->skip = skip;
    return 0;
}

/** Read until the input is full or the file ends; false if nothing came. */
static bool fill(recording_bytes *b)
{
    size_t count;

    if (b->at_end)
        return false;
    if (b->start > 0)
        memmove(b->input, b->input + b->start, b->end - b->start);
    b->end -= b->start;
    b->start = 0;
    count = fread(b->input + b->end, 1, INPUT_MAX - b->end, b->file);
    b->end += count;
    b->behind += count;
    b->at_end = b->end < INPUT_MAX;
    if (ferror(b->file))
        b->error = errno;
    return count > 0;
}

static bool has_magic(const char *at)
{
    const unsigned char *bytes = (const unsigned char *)at;
    unsigned magic = (unsigned)bytes[0] | (unsigned)bytes[1] << 8 | (unsigned)bytes[2] << 16 | (unsigned)bytes[3] << 24;

    return magic == ZSTD_MAGICNUMBER || (magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
}

/** Go to the next place in memory that looks like the beginning of a frame. */
static recording_bytes_result search(recording_bytes *b, failure *out_failure)
{
    size_t from;

    if (b->end - b->start < MAGIC_BYTES)
        fill(b);
    from = b->start;
    while (b->end - b->start >= MAGIC_BYTES && !has_magic(b->input + b->start))
        b->start++;
    if (b->end - b->start < MAGIC_BYTES && b->at_end)
        b->start = b->end;
    b->left_out += b->start - from;
    if (b->end - b->start < MAGIC_BYTES && !b->at_end)
        return RECORDING_BYTES_SOME; /* none: it goes on */
    fail_with(out_failure, "the compressed data is damaged (%s): %llu bytes of the file are left out", b->why,
              b->left_out);
    b->why = NULL;
    return RECORDING_BYTES_DAMAGED;
}

/** Look for the next frame, at least `least` bytes further. */
static recording_bytes_result leave_out(recording_bytes *b, size_t least, size_t error, failure *out_failure)
{
    b->why = error == 0 ? "no whole frame begins where one should" : ZSTD_getErrorName(error);
    if (error != 0 && ZSTD_getErrorCode(error) == ZSTD_error_frameParameter_windowTooLarge)
        b->why = "a frame needs a window of more than 128 MiB: zstd --long=27 is the most that is read";
    b->start += least;
    b->left_out = least;
    b->is_streaming = false;
    return search(b, out_failure);
}

static recording_bytes_result tear(recording_bytes *b, failure *out_failure)
{
    b->start = b->end;
    b->is_streaming = false;
    if (b->is_torn)
        return RECORDING_BYTES_END;
    b->is_torn = true;
    fail_with(out_failure, "the compressed data ends in the middle");
    return RECORDING_BYTES_TORN;
}

static recording_bytes_result stream(recording_bytes *b, const char **out_bytes, size_t *out_length,
                                     failure *out_failure)
{
    for (;;) {
        ZSTD_inBuffer in = {b->input + b->start, b->end - b->start, 0};
        ZSTD_outBuffer out = {b->output, OUTPUT_MAX, 0};
        size_t result = ZSTD_decompressStream(b->context, &out, &in);

        if (ZSTD_isError(result))
            return leave_out(b, in.size > 0, result, out_failure);
        b->start += in.pos;
        b->skip = b->streamed;
        b->streamed += out.pos;
        b->is_streaming = result != 0;
        *out_bytes = b->output;
        *out_length = out.pos;
        if (out.pos > 0 || !b->is_streaming) /* or an empty frame */
            return RECORDING_BYTES_SOME;
        if (b->start == b->end)
            return fill(b) ? RECORDING_BYTES_SOME : tear(b, out_failure);
    }
}

/** The frame at the start is in memory as a whole, `compressed` bytes of it. */
static recording_bytes_result take_frame(recording_bytes *b, size_t compressed, const char **out_bytes,
                                         size_t *out_length, failure *out_failure)
{
    size_t result = ZSTD_decompressDCtx(b->context, b->output, OUTPUT_MAX, b->input + b->start, compressed);
    size_t next = b->start + compressed;
    bool is_bound_right = b->end - next < MAGIC_BYTES || has_magic(b->input + next);

    if (ZSTD_isError(result))
        return leave_out(b, is_bound_right ? compressed : 1, result, out_failure);
    b->start = next;
    *out_bytes = b->output;
    *out_length = result;
    return RECORDING_BYTES_SOME;
}

static bool has_magic_behind(const recording_bytes *b)
{
    for (size_t i = b->start + 1; i + MAGIC_BYTES <= b->end; i++)
        if (has_magic(b->input + i))
            return true;
    return false;
}

/** Return 0 if it is not all in memory and cannot be, else its size, or one of zstd's errors. */
static size_t frame_size(recording_bytes *b)
{
    for (;;) {
        size_t compressed = ZSTD_findFrameCompressedSize(b->input + b->start, b->end - b->start);

        if (!ZSTD_isError(compressed) || ZSTD_getErrorCode(compressed) != ZSTD_error_srcSize_wrong)
            return compressed;
        if (!fill(b))
            return 0;
    }
}

static recording_bytes_result next_frame(recording_bytes *b, const char **out_bytes, size_t *out_length,
                                         failure *out_failure)
{
    size_t compressed;
    unsigned long long content;

    if (b->end - b->start < MAGIC_BYTES)
        fill(b);
    if (b->start == b->end)
        return RECORDING_BYTES_END;
    if (b->end - b->start < MAGIC_BYTES)
        return tear(b, out_failure);
    b->place = b->behind - (b->end - b->start);
    b->skip = 0;
    if (!has_magic(b->input + b->start))
        return leave_out(b, 0, 0, out_failure);
    compressed = frame_size(b);
    if (ZSTD_isError(compressed))
        return leave_out(b, 1, compressed, out_failure);
    if (compressed == 0 && b->at_end && has_magic_behind(b))
        return leave_out(b, 1, 0, out_failure);
    content = ZSTD_getFrameContentSize(b->input + b->start, b->end - b->start);
    if (compressed > 0 && content <= OUTPUT_MAX)
        return take_frame(b, compressed, out_bytes, out_length, out_failure);
    ZSTD_DCtx_reset(b->context, ZSTD_reset_session_only);
    b->is_streaming = true;
    b->streamed = 0;
    return stream(b, out_bytes, out_length, out_failure);
}

/** Return 0, or -1 when out of memory. */
static int begin(recording_bytes *b)
{
    fill(b);
    b->is_compressed = b->end - b->start >= MAGIC_BYTES && has_magic(b->input + b->start);
    if (b->is_compressed && !b->context)
        b->context = ZSTD_createDCtx();
    if (b->is_compressed && !b->output)
        b->output = malloc(OUTPUT_MAX);
    if (b->is_compressed && (!b->context || !b->output))
        return -1;
    if (b->is_compressed)
        ZSTD_DCtx_setParameter(b->context, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
    b->is_begun = true;
    return 0;
}

static recording_bytes_result take_plain(recording_bytes *b, const char **out_bytes, size_t *out_length)
{
    if (b->start == b->end && !fill(b))
        return RECORDING_BYTES_END;
    b->place = b->behind - (b->end - b->start);
    *out_bytes = b->input + b->start;
    *out_length = b->end - b->start;
    b->start = b->end;
    return RECORDING_BYTES_SOME;
}

/** Skip what comes before the place that was asked for. */
static void pass_over(recording_bytes *b, recording_bytes_result result, const char **out_bytes, size_t *out_length)
{
    const size_t count = b->passed_over < *out_length ? (size_t)b->passed_over : *out_length;

    b->passed_over = result == RECORDING_BYTES_SOME ? b->passed_over - count : 0;
    if (count == 0)
        return;
    *out_bytes += count;
    *out_length -= count;
    b->skip += count;
}

recording_bytes_result recording_bytes_read(recording_bytes *b, const char **out_bytes, size_t *out_length,
                                            failure *out_failure)
{
    recording_bytes_result result;

    *out_length = 0;
    if (!b->is_begun && begin(b) < 0) {
        b->at_end = true;
        b->start = b->end;
        b->is_begun = true;
        fail_with(out_failure, "out of memory");
        return RECORDING_BYTES_ERROR;
    }
    if (!b->is_compressed)
        result = take_plain(b, out_bytes, out_length);
    else if (b->why)
        result = search(b, out_failure);
    else if (b->is_streaming)
        result = stream(b, out_bytes, out_length, out_failure);
    else
        result = next_frame(b, out_bytes, out_length, out_failure);
    pass_over(b, result, out_bytes, out_length);
    if (result != RECORDING_BYTES_SOME && b->error) {
        fail_with(out_failure, "%s", strerror(b->error));
        b->error = 0; /* said once */
        b->start = b->end;
        return RECORDING_BYTES_ERROR;
    }
    return result;
}
