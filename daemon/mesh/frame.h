/* What goes between clashd and its helper program, over two pipes of one machine: a request, whole, and an answer, a header
 * and its arrays. Both sides check what they get; the helper's side has read files of strangers, and is not believed. */
#ifndef CLASHD_MESH_FRAME_H
#define CLASHD_MESH_FRAME_H

#include "cli/failure.h"
#include "mesh_data.h"

/** Another program, or another version of it, has other words. */
#define FRAME_REQUEST UINT32_C(0x4d534831)
#define FRAME_ANSWER UINT32_C(0x4d534132)

typedef struct frame_request {
    uint32_t magic, size; /* of this struct */
    uint32_t seconds;     /* limits that the helper sets itself */
    uint32_t reserved;
    uint64_t memory_bytes;
    surface_request surface;
} frame_request;

/** Behind it as many bytes of vertices, then of triangles, or of heights. */
typedef struct frame_answer {
    uint32_t magic, size; /* of this struct */
    uint32_t vertex_count, triangle_count, height_count;
    char digest[SURFACE_DIGEST_MAX];
    char message[SURFACE_MESSAGE_MAX]; /* what is wrong with the file, in one line; "": nothing */
} frame_answer;

void frame_request_fill(frame_request *out, const surface_request *from, uint32_t seconds, uint64_t memory_bytes);
/** Whether it is one, with strings that end. */
bool frame_request_check(const frame_request *request);

/** The helper's part: `message` NULL if there is none. */
void frame_answer_fill(frame_answer *out, const surface *from, const char *message);

/** Whether it may be an answer to that request: false with what is wrong in out_problem. Also true if the answer is that
 *  the file is wrong: then message is text of one line. */
bool frame_answer_check(frame_answer *answer, const surface_request *request, failure *out_problem);
/** Takes memory for what the answer has announced. False if there is none. */
bool frame_answer_make_room(const frame_answer *answer, surface *out);
/** Of the arrays that follow, from byte `at` on: where the next ones belong, and how many fit there; 0 at the end. */
size_t frame_answer_place(const surface *s, uint64_t at, char **out_place);
/** Looks at every number: false with what is wrong in out_problem. */
bool frame_surface_check(const surface *s, failure *out_problem);

#endif
