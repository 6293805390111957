/* Messages between clashd and its helper program, over two pipes on one machine: a whole request, and an answer, which
 * is a header and its arrays. Both sides check what they get; the helper has read files of strangers and is not
 * trusted. */
#ifndef CLASHD_MESH_FRAME_H
#define CLASHD_MESH_FRAME_H

#include "cli/failure.h"
#include "mesh_data.h"

/** Another program, or another version, has another number. */
#define FRAME_REQUEST UINT32_C(0x4d534831)
#define FRAME_ANSWER UINT32_C(0x4d534132)

typedef struct frame_request {
    uint32_t magic, size; /* of this struct */
    uint32_t seconds;     /* limits that the helper sets itself */
    uint32_t reserved;
    uint64_t memory_bytes;
    surface_request surface;
} frame_request;

/** Followed by as many bytes of vertices, then of triangles, or of heights. */
typedef struct frame_answer {
    uint32_t magic, size; /* of this struct */
    uint32_t vertex_count, triangle_count, height_count;
    char digest[SURFACE_DIGEST_MAX];
    char message[SURFACE_MESSAGE_MAX]; /* what is wrong with the file, in one line; "": nothing */
} frame_answer;

void frame_request_fill(frame_request *out, const surface_request *from, uint32_t seconds, uint64_t memory_bytes);
/** Return whether it is a request, with terminated strings. */
bool frame_request_check(const frame_request *request);

/** Fill in the helper's answer; `message` is NULL if nothing is wrong. */
void frame_answer_fill(frame_answer *out, const surface *from, const char *message);

/** Return whether it may answer that request; false with what is wrong in out_problem. Also true if the answer is that
 *  the file is wrong: then message is one line of text. */
bool frame_answer_check(frame_answer *answer, const surface_request *request, failure *out_problem);
/** Allocate memory for what the answer announced. Return false if there is none. */
bool frame_answer_reserve(const frame_answer *answer, surface *out);
/** Return where the bytes of the arrays from `at` on belong, and how many fit there; 0 at the end. */
size_t frame_answer_place(const surface *s, uint64_t at, char **out_place);
/** Check every number; false with what is wrong in out_problem. */
bool frame_surface_check(const surface *s, failure *out_problem);

#endif
