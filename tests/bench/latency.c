/* From a pose sample to the line that its subscriber can read, beside the round trip of a bare libuv echo of the same
 * line. Both are measured in turns in one run, never at the same time, so that a noisy machine is as noisy for both. */
#include "latency.h"

#include <stdio.h>
#include <stdlib.h>

#define RATE_HZ 1000.0

static void report(const char *name, samples *s)
{
    printf("%-30s%9zu%10.1f%10.1f%10.1f\n", name, s->count, (double)samples_quantile(s, 0.5) * 1e-3,
           (double)samples_quantile(s, 0.99) * 1e-3, (double)samples_quantile(s, 0.999) * 1e-3);
}

static double ratio(samples *a, samples *b, double share)
{
    int64_t under = samples_quantile(b, share);

    return under > 0 ? (double)samples_quantile(a, share) / (double)under : 0.0;
}

int main(int argc, char **argv)
{
    static bench_line line;
    samples poses = {0}, clashes = {0}, echoes = {0};
    long rounds = argc > 3 ? strtol(argv[3], NULL, 10) : 5;
    double seconds = argc > 4 ? strtod(argv[4], NULL) : 6.0;

    if (argc < 3 || rounds < 1 || seconds <= 0.0) {
        fprintf(stderr, "usage: latency CLASHD SOCKET [ROUNDS [SECONDS]]\n");
        return 2;
    }
    for (long round = 0; round < rounds; round++) {
        clashd_measure(argv[1], argv[2], seconds, &poses, &clashes, &line);
        echo_measure(argv[2], &line, RATE_HZ, seconds, &echoes);
    }
    printf("%.0f a second, a line of %zu bytes, %ld rounds of %.0f s each; microseconds\n", RATE_HZ, line.length,
           rounds, seconds);
    printf("%-30s%9s%10s%10s%10s\n", "", "lines", "p50", "p99", "p99.9");
    report("pose sample to client", &poses);
    report("the sample of a clash to client", &clashes);
    report("libuv echo, round trip", &echoes);
    printf("%-39s%10.2f%10.2f%10.2f\n", "pose sample / echo", ratio(&poses, &echoes, 0.5), ratio(&poses, &echoes, 0.99),
           ratio(&poses, &echoes, 0.999));
    samples_finish(&poses);
    samples_finish(&clashes);
    samples_finish(&echoes);
    return 0;
}
