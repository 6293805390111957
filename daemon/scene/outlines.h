/* Outlines of targets, page by page, for those who draw them. What a page may cost is bounded. Loop's thread. */
#ifndef CLASHD_SCENE_OUTLINES_H
#define CLASHD_SCENE_OUTLINES_H

#include "scene.h"

/** More do not fit into a line anyway. */
#define OUTLINES_TARGETS_MAX 48

typedef struct outlines_page {
    protocol_outlines page;
    protocol_outline targets[OUTLINES_TARGETS_MAX];
} outlines_page;

/** List as many lines as fit into a line of the protocol, beginning where `asked` says. Return 0, or -1 with out_error if
 *  there is no target of that name. What the page points to is the scene's, valid until a target is removed. */
int outlines_list(const scene *s, const protocol_ask_outlines *asked, int64_t time_ns, outlines_page *out_page,
                  protocol_error *out_error);

#endif
