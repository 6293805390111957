/* Faults that CLASH_RUNTIME_FAULTS asks for (grammar in README.md), and which of them are in force at a given time.
 * Pure except for the marks of what has already happened. Times count from the first xrBeginSession in the process. */
#ifndef CLASHD_RUNTIME_FAULTS_H
#define CLASHD_RUNTIME_FAULTS_H

#include "cli/failure.h"

#include <openxr/openxr.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum fault_kind {
    FAULT_LOST,          /* no pose */
    FAULT_UNTRACKED,     /* the last pose repeated, VALID without TRACKED */
    FAULT_INACTIVE,      /* the controller is off */
    FAULT_UNFOCUSED,     /* another program has the input: VISIBLE instead of FOCUSED */
    FAULT_RECENTRE,      /* LOCAL and STAGE move */
    FAULT_PROFILE,       /* another kind of controller is picked up */
    FAULT_STALL,         /* every call blocks */
    FAULT_THREAD_END,    /* the calling thread ends */
    FAULT_CRASH,         /* the process ends */
    FAULT_NO_END,        /* xrDestroyInstance does not return */
    FAULT_EXIT,          /* the user ends the session */
    FAULT_SESSION_LOSS,  /* LOSS_PENDING, then XR_ERROR_SESSION_LOST */
    FAULT_INSTANCE_LOSS, /* XR_ERROR_INSTANCE_LOST */
    FAULT_NO_HEADSET,    /* xrGetSystem: XR_ERROR_FORM_FACTOR_UNAVAILABLE */
    FAULT_REFUSE,        /* xrCreateInstance: XR_ERROR_RUNTIME_FAILURE */
    FAULT_KINDS
} fault_kind;

/** A call during which the process ends. */
typedef enum fault_call { CALL_NONE, CALL_CREATE, CALL_SYSTEM } fault_call;

#define FAULTS_MAX 64
#define FAULTS_TEXT_MAX 4096

typedef struct fault {
    fault_kind kind;
    bool timed;                 /* given with '@'; otherwise it only has a count */
    int64_t at_ns, duration_ns; /* from the faults' epoch */
    uint32_t hands;             /* bit 0 left, bit 1 right */
    uint32_t count;             /* of calls that fail */
    fault_call call;            /* of a FAULT_CRASH without a time */
    int profile;                /* of FAULT_PROFILE, see profiles.h */
    XrPosef origin;             /* of FAULT_RECENTRE: the new origin in the previous space */
    bool begun;                 /* already carried out */
} fault;

typedef struct faults {
    char text[FAULTS_TEXT_MAX]; /* the list as it was given */
    fault list[FAULTS_MAX];
    size_t count;
    int64_t epoch_ns; /* CLOCK_MONOTONIC of the first xrBeginSession; 0 before it */
} faults;

/** Parse a list of faults. Return 0, or -1 with a message that names the item and what was expected in its place; then
 *  `out` is unchanged. */
int faults_parse(const char *text, faults *out, failure *out_failure);

/** Return whether the process is to end in that call. */
bool faults_crash_in(const faults *f, fault_call call);
/** Return whether the item's time has come. */
bool faults_begins(const faults *f, const fault *item, int64_t now_ns);
/** Return whether `now_ns` is past the item's duration. */
bool faults_is_over(const faults *f, const fault *item, int64_t now_ns);
/** Return the item of that kind, for one of `hands`, that is in force at `now_ns`, or NULL. */
const fault *faults_holding(const faults *f, fault_kind kind, uint32_t hands, int64_t now_ns);
/** Return the CLOCK_MONOTONIC time at which an item begins. */
int64_t faults_time(const faults *f, const fault *item);

#endif
