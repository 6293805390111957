/* See trace_file.h. Spans are asynchronous events (b, e), because those of a thread must not overlap. */
#include "trace_file.h"

#include "protocol/messages/encode.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define EVENT_BYTES 4096
#define PROCESS 1

typedef struct event {
    json_writer w;
    char bytes[EVENT_BYTES];
} event;

/* Microseconds with nanosecond digits. */
static void add_time(json_writer *w, const char *key, int64_t time_ns)
{
    char text[48];
    const uint64_t size = time_ns < 0 ? 0 - (uint64_t)time_ns : (uint64_t)time_ns;

    snprintf(text, sizeof text, "%s%" PRIu64 ".%03" PRIu64, time_ns < 0 ? "-" : "", size / 1000, size % 1000);
    json_key(w, key);
    json_raw(w, text);
}

static void begin(event *e, const char *phase, const char *name, int64_t time_ns)
{
    json_writer_init(&e->w, e->bytes, sizeof e->bytes);
    json_object_begin(&e->w);
    encode_key_string(&e->w, "ph", phase);
    encode_key_string(&e->w, "name", name);
    add_time(&e->w, "ts", time_ns);
    encode_key_int(&e->w, "pid", PROCESS);
    encode_key_int(&e->w, "tid", PROCESS);
}

static void end(trace_file *t, event *e)
{
    size_t length;

    json_object_end(&e->w);
    length = json_writer_finish(&e->w);
    if (length == 0 || t->error != 0)
        return;
    errno = 0;
    fputs(t->events++ == 0 ? "[\n" : ",\n", t->out);
    fwrite(e->bytes, 1, length - 1, t->out);
    if (ferror(t->out))
        t->error = errno ? errno : EIO;
}

void trace_begin(trace_file *t, FILE *out, const char *process)
{
    event e;

    *t = (trace_file){.out = out};
    begin(&e, "M", "process_name", 0);
    json_object_begin_at(&e.w, "args");
    encode_key_string(&e.w, "name", process);
    json_object_end(&e.w);
    end(t, &e);
}

static void add_notes(json_writer *w, const trace_note *notes)
{
    json_object_begin_at(w, "args");
    for (; notes->name; notes++)
        encode_key_float(w, notes->name, (float)notes->value);
    json_object_end(w);
}

void trace_span(trace_file *t, const char *row, const char *name, int64_t from_ns, int64_t to_ns,
                const trace_note *notes)
{
    event e;

    t->spans++;
    for (int is_end = 0; is_end < 2; is_end++) {
        begin(&e, is_end ? "e" : "b", name, is_end ? to_ns : from_ns);
        encode_key_string(&e.w, "cat", row);
        encode_key_uint(&e.w, "id", t->spans);
        if (!is_end)
            add_notes(&e.w, notes);
        end(t, &e);
    }
}

void trace_counter(trace_file *t, const char *name, int64_t time_ns, double value)
{
    event e;

    begin(&e, "C", name, time_ns);
    add_notes(&e.w, (const trace_note[]){{"value", value}, {0}});
    end(t, &e);
}

int trace_end(trace_file *t)
{
    errno = 0;
    fputs(t->events == 0 ? "[]\n" : "\n]\n", t->out);
    if ((fflush(t->out) != 0 || ferror(t->out)) && t->error == 0)
        t->error = errno ? errno : EIO;
    return t->error;
}
