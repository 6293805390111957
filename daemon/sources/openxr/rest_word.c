#include "rest_word.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void *map(int fd, int protection)
{
    void *at = mmap(NULL, sizeof(rest_word), protection, MAP_SHARED, fd, 0);

    return at == MAP_FAILED ? NULL : at;
}

rest_word *rest_word_create(int *out_fd)
{
    int fd = memfd_create("clashd-rest", MFD_CLOEXEC | MFD_ALLOW_SEALING), error;
    rest_word *word = NULL;

    if (fd < 0)
        return NULL;
    if (ftruncate(fd, sizeof(rest_word)) == 0 && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        word = map(fd, PROT_READ | PROT_WRITE);
    if (word) {
        *out_fd = fd;
        return word;
    }
    error = errno;
    close(fd);
    errno = error;
    return NULL;
}

const rest_word *rest_word_open(int fd)
{
    struct stat status;
    const rest_word *word = NULL;

    if (fstat(fd, &status) == 0 && status.st_size == sizeof(rest_word))
        word = map(fd, PROT_READ);
    close(fd);
    return word;
}

void rest_word_close(const rest_word *word)
{
    if (word)
        munmap((void *)(uintptr_t)word, sizeof *word);
}
