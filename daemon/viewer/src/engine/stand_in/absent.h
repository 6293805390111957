/* What wasi-libc does not have, for every file that is compiled into the page. */
#ifndef CLASHD_VIEWER_ABSENT_H
#define CLASHD_VIEWER_ABSENT_H

/** There are no files: NULL. */
char *realpath(const char *path, char *resolved);

#endif
