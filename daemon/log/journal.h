/* Messages to journald with fields of their own, by its native protocol (systemd.io, "Native Journal Protocol"): one datagram a
 * message, which is small, so that no library is needed. Any thread. */
#ifndef CLASHD_LOG_JOURNAL_H
#define CLASHD_LOG_JOURNAL_H

#include "ports/log.h"

#include <stdbool.h>

#define LOG_JOURNAL_SOCKET "/run/systemd/journal/socket"

/** A descriptor for log_journal_send; -1 if journald does not listen at that path. */
int log_journal_open(const char *path);
/** `message` and the field's value have no control characters. `field` may be NULL. False if journald did not take it:
 *  never waits for it. */
bool log_journal_send(int fd, int priority, const char *program, const char *message, const log_field *field);

#endif
