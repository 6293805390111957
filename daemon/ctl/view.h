/* What the commands that show clashd's page have in common: view_page.c (its address, and the browser) and view_clashd.c (a clashd of the
 * command's own). */
#ifndef CLASHD_CTL_VIEW_H
#define CLASHD_CTL_VIEW_H

#include "cli/failure.h"
#include "talk.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** A page to show. */
typedef struct view_page {
    const char *command; /* of clashctl, before its messages */
    talk_place place;    /* of clashd, and of its token */
    bool is_overlay;
    bool no_browser; /* only print the address */
    const char *log; /* a recording for the page to open; NULL: none */
} view_page;

/** Ask that clashd where its page is, print the address, with the token if clashd has one, and have the desktop's browser open it. Return the
 *  exit code, after a message if it is not CTL_DONE; *out_is_open: whether a browser was started. */
int view_page_show(const view_page *page, bool *out_is_open);

/** A clashd that runs for as long as this program does. */
typedef struct view_clashd {
    pid_t pid;
    char directory[PATH_MAX]; /* of its own, removed at the end; "": none */
    char socket[PATH_MAX];
    const char *log; /* the name of the recording that it has */
} view_clashd;

/** Start one with the user's own settings, `with_port` on a port that is free, at `socket`; wait until it listens. Return false with
 *  out_failure, and nothing runs. What it says goes to standard error. */
bool view_clashd_start(view_clashd *c, const char *socket, bool with_port, failure *out_failure);
/** Start one for nothing but that recording and those beside it, with no settings and no source. */
bool view_clashd_start_for(view_clashd *c, const char *file, failure *out_failure);
/** Start one that plays this recording to its clients, from the first subscriber on, again and again or once; without the user's settings, and
 *  in a directory of its own, so that a clashd that already runs is not affected. */
bool view_clashd_start_demo(view_clashd *c, const char *recording, bool loops, failure *out_failure);
/** Return whether a signal has ended it since it was started. */
bool view_clashd_is_told_to_end(void);
/** Until it ends, or this program is told to: then that ends too. Returns its exit code. */
int view_clashd_wait(view_clashd *c);
/** End it at once, if it could not be used. */
void view_clashd_stop(view_clashd *c);

#endif
