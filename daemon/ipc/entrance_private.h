/* What the parts of an entrance share: entrance.c (connections in their handshake) and entrance_page.c (those that asked for
 * the page, until they have it). Included by nobody else. */
#ifndef CLASHD_IPC_ENTRANCE_PRIVATE_H
#define CLASHD_IPC_ENTRANCE_PRIVATE_H

#include "ipc/acceptor.h"
#include "ipc/address.h"
#include "ipc/entrance.h"
#include "log_throttle.h"

typedef struct door {
    struct door *next, *previous;
    entrance *entrance;
    int fd;
    uv_poll_t poll;
    uv_timer_t timer;
    unsigned handles_open;
    char *answer; /* with a page; NULL: none is on its way */
    size_t answer_length, answer_sent;
    size_t length;
    char bytes[HANDSHAKE_HEADER_MAX];
} door;

struct entrance {
    entrance_settings settings;
    char address[ADDRESS_TEXT_MAX];
    int fd;
    bool is_passed; /* the socket was handed over */
    acceptor *acceptor;
    door *doors;
    size_t door_count;
    entrance_counters counters;
    refusals refusals;
    handshake verdict; /* of the one that is looked at */
};

/** Returns its descriptor, which is not closed. */
int entrance_remove_door(door *d);
/** Answers, closes, and logs why. */
void entrance_refuse(entrance *e, int fd, const handshake *h);
/** Closes so that what has been sent arrives. */
void entrance_part(int fd);
/** Sends the page to one whose verdict asks for it, and closes. */
void entrance_send_page(door *d);

#endif
