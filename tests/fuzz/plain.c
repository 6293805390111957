/* Drives a fuzz target without libFuzzer, as a test under every compiler: plain CORPUS_DIRECTORY MUTATIONS [FILE..].
 * Each file of the corpus as it stands, then so many pseudo-random mutations of them, the same ones every time
 * (CLASHD_SEED begins elsewhere, CLASHD_CASES multiplies them); with FILEs only those. What ends the program, or keeps it
 * for minutes, is printed and written to fuzz-failed.bin in the working directory. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "fuzz/mutate.h"

#define FILES_MAX 4096
#define HANG_SECONDS 240

extern void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static uint8_t current[MUTATE_SIZE_MAX];
static size_t current_size;
static char current_name[400] = "\n"; /* for messages: with its newline */

/* Only what a signal handler may call. */
static void say(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        _exit(3);
}

static void save_failed(void)
{
    int file = open("fuzz-failed.bin", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

    if (file >= 0 && write(file, current, current_size) == (ssize_t)current_size)
        say("kept in fuzz-failed.bin: ");
    say(current_name);
}

static void on_signal(int number)
{
    say(number == SIGALRM ? "an input takes minutes\n" : "an input ends the program\n");
    save_failed();
    signal(number, SIG_DFL);
    if (number == SIGALRM)
        _exit(1);
    raise(number);
}

static void run_current(void)
{
    /* A copy of exactly its size, so that a sanitizer sees a read behind it. */
    uint8_t *copy = malloc(current_size > 0 ? current_size : 1);

    if (!copy)
        exit(3);
    memcpy(copy, current, current_size);
    alarm(HANG_SECONDS);
    LLVMFuzzerTestOneInput(copy, current_size);
    alarm(0);
    free(copy);
}

static size_t read_file(const char *path, uint8_t *out)
{
    FILE *file = fopen(path, "rb");
    size_t size;

    if (!file) {
        perror(path);
        exit(3);
    }
    size = fread(out, 1, MUTATE_SIZE_MAX, file);
    fclose(file);
    return size;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const mutate_file *)a)->name, ((const mutate_file *)b)->name);
}

/** The corpus, in the order of its names, whatever order the directory has them in. */
static size_t read_corpus(const char *directory, mutate_file *files)
{
    DIR *dir = opendir(directory);
    const struct dirent *entry;
    size_t count = 0;

    if (!dir) {
        perror(directory);
        exit(3);
    }
    while ((entry = readdir(dir)) && count < FILES_MAX) {
        char path[1024];
        mutate_file *f = &files[count];

        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        snprintf(f->name, sizeof f->name, "%s", entry->d_name);
        f->size = read_file(path, current);
        f->data = malloc(f->size + 1);
        if (!f->data)
            exit(3);
        memcpy(f->data, current, f->size);
        count++;
    }
    closedir(dir);
    qsort(files, count, sizeof *files, by_name);
    return count;
}

static void run_corpus(const mutate_file *files, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        snprintf(current_name, sizeof current_name, "%.255s\n", files[i].name);
        current_size = files[i].size;
        memcpy(current, files[i].data, current_size);
        run_current();
    }
}

static void run_mutations(const mutate_file *files, size_t count, uint64_t seed, long cases)
{
    for (long i = 0; i < cases; i++) {
        random_state r = {seed + ((uint64_t)i << 20)};
        const mutate_file *from = &files[random_below(&r, (int)count)];

        snprintf(current_name, sizeof current_name, "CLASHD_SEED=%llu, case %ld, of %s\n", (unsigned long long)seed, i,
                 from->name);
        current_size = mutate(&r, files, count, from, current);
        run_current();
    }
}

static void run_named(char **names, int count)
{
    for (int i = 0; i < count; i++) {
        snprintf(current_name, sizeof current_name, "%.255s\n", names[i]);
        current_size = read_file(names[i], current);
        run_current();
    }
}

int main(int argc, char **argv)
{
    static const int signals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM};
    static mutate_file files[FILES_MAX];
    size_t count;

    if (argc < 3) {
        fprintf(stderr, "usage: %s CORPUS_DIRECTORY MUTATIONS [FILE..]\n", argv[0]);
        return 2;
    }
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        signal(signals[i], on_signal);
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(save_failed);
    run_named(argv + 3, argc - 3);
    if (argc > 3)
        return 0;
    count = read_corpus(argv[1], files);
    if (count == 0) {
        fprintf(stderr, "%s: expected a corpus, found nothing\n", argv[1]);
        return 2;
    }
    run_corpus(files, count);
    run_mutations(files, count, random_seed(1), random_cases(strtol(argv[2], NULL, 10)));
    printf("%zu files, %ld mutations\n", count, random_cases(strtol(argv[2], NULL, 10)));
    for (size_t i = 0; i < count; i++)
        free(files[i].data);
    return 0;
}
