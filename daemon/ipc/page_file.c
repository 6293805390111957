/* Files that are sent as pages. Another thread reads them in pieces, the next one when the last has been sent: the loop
 * never waits for a disk, and a file needs the memory of one piece. See endpoint_private.h. */
#include "ipc/endpoint_private.h"

#include <stdlib.h>
#include <unistd.h>

struct page_file {
    uv_loop_t *loop;
    page_answer *reader; /* NULL: it is being closed */
    int fd;
    bool is_reading;
    uint64_t left; /* bytes not yet read, .. */
    int64_t at;    /* .. from this offset on */
    uv_fs_t request;
    char piece[ENDPOINT_PAGE_PACE];
};

page_file *page_file_open(uv_loop_t *loop, int fd, uint64_t length, page_answer *reader)
{
    page_file *file = malloc(sizeof *file);

    if (!file) {
        close(fd);
        return NULL;
    }
    file->loop = loop;
    file->reader = reader;
    file->fd = fd;
    file->is_reading = false;
    file->left = length;
    file->at = 0;
    return file;
}

static void on_closed(uv_fs_t *request)
{
    uv_fs_req_cleanup(request);
    free(request->data);
}

/* Close in the other thread too: close may block. */
static void close_file(page_file *file)
{
    file->request.data = file;
    if (uv_fs_close(file->loop, &file->request, file->fd, on_closed) == 0)
        return;
    close(file->fd);
    free(file);
}

static void on_read(uv_fs_t *request)
{
    page_file *file = request->data;
    const ssize_t count = request->result;

    uv_fs_req_cleanup(request);
    file->is_reading = false;
    if (!file->reader) {
        close_file(file);
        return;
    }
    if (count > 0) {
        file->at += count;
        file->left -= (uint64_t)count;
    }
    page_answer_take(file->reader, count > 0 ? file->piece : NULL, count > 0 ? (size_t)count : 0);
}

int page_file_read(page_file *file)
{
    const size_t size = file->left < sizeof file->piece ? (size_t)file->left : sizeof file->piece;
    uv_buf_t piece = uv_buf_init(file->piece, (unsigned)size);

    if (size == 0)
        return 0;
    file->request.data = file;
    file->is_reading = uv_fs_read(file->loop, &file->request, file->fd, &piece, 1, file->at, on_read) == 0;
    return file->is_reading ? 1 : -1;
}

void page_file_close(page_file *file)
{
    if (!file)
        return;
    file->reader = NULL;
    if (!file->is_reading)
        close_file(file);
}
