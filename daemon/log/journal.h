/* Send messages to journald with fields, by its native protocol (systemd.io, "Native Journal Protocol"): one datagram
 * for each message. The protocol is so small that no library is needed. Any thread. */
#ifndef CLASHD_LOG_JOURNAL_H
#define CLASHD_LOG_JOURNAL_H

#include "ports/log.h"

#include <stdbool.h>

#define LOG_JOURNAL_SOCKET "/run/systemd/journal/socket"

/** Return a descriptor for log_journal_send; -1 if journald does not listen at that path. */
int log_journal_open(const char *path);
/** Send a message. `message` and the field's value have no control characters. `field` may be NULL. Return false if
 *  journald did not take it; never waits. */
bool log_journal_send(int fd, int priority, const char *program, const char *message, const log_field *field);

#endif
