/* What clashctl view is made of: command_view.c (what is wanted), view_page.c (the page's address, and the browser) and view_clashd.c (a
 * clashd of its own). */
#ifndef CLASHD_CTL_VIEW_H
#define CLASHD_CTL_VIEW_H

#include "cli/failure.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define VIEW_COMMAND "view"
#define VIEW_URL_MAX 2048

/** A page that is to be shown. */
typedef struct view_page {
    const char *socket;    /* clashd's Unix socket, beside which its token is */
    const char *websocket; /* where it listens, as it says itself: "127.0.0.1:4718" */
    bool is_overlay;
    const char *log; /* a recording that is to be opened; NULL: none */
} view_page;

/** The page's address, with the token, if there is one, and *out_has_token. Return false with out_failure. */
bool view_page_url(const view_page *page, char *out_url, size_t size, bool *out_has_token, failure *out_failure);
/** Let the desktop's browser open it. With a token by a file beside the socket, as command lines can be read by others. Return false with why
 *  not. */
bool view_page_open(const char *url, bool has_token, const char *socket, failure *out_failure);

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
/** Until it ends, or this program is told to: then that ends too. Returns its exit code. */
int view_clashd_wait(view_clashd *c);
/** End it at once, if it could not be used. */
void view_clashd_stop(view_clashd *c);

#endif
