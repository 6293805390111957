/* What clashctl ends with. */
#ifndef CLASHD_CLI_EXIT_CODE_H
#define CLASHD_CLI_EXIT_CODE_H

enum ctl_exit {
    CTL_DONE = 0,
    CTL_NO = 1,    /* a verdict of no */
    CTL_USAGE = 2, /* bad usage, configuration or input */
    CTL_ABSENT = 3 /* no daemon to talk to */
};

#endif
