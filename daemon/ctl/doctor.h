/* clashctl doctor's parts: each looks at one thing, says what it finds, and notes what is wrong with what to do about it. */
#ifndef CLASHD_CTL_DOCTOR_H
#define CLASHD_CTL_DOCTOR_H

#include <cjson/cJSON.h>
#include <stdbool.h>

typedef struct doctor {
    const char *socket, *token_file;
    double look_s;    /* at poses */
    double timeout_s; /* for a runtime's answers */
    bool is_json;
    cJSON *report;        /* an object for each area */
    cJSON *wrong, *notes; /* {"code","text","do"} */
    bool has_layer;       /* enabled for this user */
    char runtime[512];    /* as it calls itself; "": not known */
} doctor;

/** A line for people, of one area; nothing with --json. */
__attribute__((format(printf, 3, 4))) void doctor_say(const doctor *d, const char *area, const char *format, ...);
/** What is wrong, in a sentence after the code for programs; `what_to_do` is one too. */
__attribute__((format(printf, 4, 5))) void doctor_wrong(doctor *d, const char *code, const char *what_to_do,
                                                        const char *format, ...);
/** What may be as it is meant to be. */
void doctor_note(doctor *d, const char *code, const char *what_to_do, const char *text);
/** The object of an area, made when it is first asked for. */
cJSON *doctor_area(const doctor *d, const char *name);

/** The manifest that the loader would take, and what the runtime says when it is asked, by a process of its own. */
void doctor_look_at_runtime(doctor *d);
/** Before doctor_look_at_clashd. */
void doctor_look_at_layer(doctor *d);
/** Whether it runs, what its source does, and which poses come. */
void doctor_look_at_clashd(doctor *d);

#endif
