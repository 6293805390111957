/* The load benchmark: load.c measures, bare.c is the program beside clashd. */
#ifndef CLASHD_BENCH_LOAD_H
#define CLASHD_BENCH_LOAD_H

/** Makes the runtime's calls that often until it is killed. */
_Noreturn void bare_run(double rate_hz);

#endif
