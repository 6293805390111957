/* The page has no threads: what daemon/log says of them in its header. */
#ifndef CLASHD_VIEWER_PTHREAD_H
#define CLASHD_VIEWER_PTHREAD_H

typedef int pthread_mutex_t;

#endif
