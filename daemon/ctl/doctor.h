/* clashctl doctor's parts: each examines one thing, prints what it finds, and notes what is wrong and what to do about
 * it. */
#ifndef CLASHD_CTL_DOCTOR_H
#define CLASHD_CTL_DOCTOR_H

#include "talk.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

typedef struct doctor {
    talk_place place;
    double look_s;    /* how long to watch poses */
    double timeout_s; /* for a runtime's answers */
    bool is_json;
    cJSON *report;         /* an object for each area */
    cJSON *wrong, *notes;  /* {"code","text","do"} */
    bool has_layer;        /* enabled for this user */
    char runtime[512];     /* its own name; "": not known */
    int runtime_wrong;     /* entries at the beginning of `wrong` that are about the runtime */
    bool has_other_source; /* clashd takes no poses from OpenXR: then those are notes */
} doctor;

/** Print a line for people about one area; nothing with --json. */
__attribute__((format(printf, 3, 4))) void doctor_print(const doctor *d, const char *area, const char *format, ...);
/** Note what is wrong: a code for programs, a sentence, and what to do, which is a sentence too. */
__attribute__((format(printf, 4, 5))) void doctor_wrong(doctor *d, const char *code, const char *what_to_do,
                                                        const char *format, ...);
/** Note something that may be intended. */
void doctor_note(doctor *d, const char *code, const char *what_to_do, const char *text);
/** Return the object of an area, created when first asked for. */
cJSON *doctor_area(const doctor *d, const char *name);

/** Examine the manifest that the loader would take, and what the runtime answers to a process of its own. */
void doctor_look_at_runtime(doctor *d);
/** Call before doctor_look_at_clashd. */
void doctor_look_at_layer(doctor *d);
/** Examine whether clashd runs, what its source does, and which poses come. */
void doctor_look_at_clashd(doctor *d);

#endif
