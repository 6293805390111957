/* Filter the lines that a runtime's library prints; see runtime_output.h. */
#include "runtime_output.h"

#include <string.h>

/* Skip a number: digits, or 0x and what follows. Return `line` itself if there is none. */
static const char *skip_number(const char *line)
{
    if (line[0] == '0' && line[1] == 'x')
        return line + 2 + strspn(line + 2, "0123456789abcdefABCDEF");
    return line + strspn(line, "0123456789");
}

/* Hash everything but numbers (FNV-1a): lines that differ only in times, addresses or counts are the same. */
static uint64_t line_hash(const char *line)
{
    uint64_t sum = 0xcbf29ce484222325u;

    while (*line) {
        const char *behind = skip_number(line);

        sum = (sum ^ (behind > line ? '0' : (unsigned char)*line)) * 0x100000001b3u;
        line = behind > line ? behind : line + 1;
    }
    return sum;
}

static bool is_known(xr_output *s, const char *line)
{
    const uint64_t hash = line_hash(line);

    for (size_t i = 0; i < s->known_count; i++)
        if (s->known[i] == hash)
            return true;
    s->known[s->known_next] = hash;
    s->known_next = (s->known_next + 1) % XR_OUTPUT_KNOWN_MAX;
    if (s->known_count < XR_OUTPUT_KNOWN_MAX)
        s->known_count++;
    return false;
}

static bool passes(xr_output *s, int64_t now_ns)
{
    if (s->passed == 0 || now_ns - s->period_ns >= XR_OUTPUT_PERIOD_NS) {
        s->period_ns = now_ns;
        s->passed = 0;
    }
    if (is_known(s, s->line) || s->passed == XR_OUTPUT_NEW_MAX)
        return false;
    s->passed++;
    return true;
}

static void leave_out(xr_output *s)
{
    s->left_out++;
    memcpy(s->last[s->last_next], s->line, s->length + 1);
    s->last_next = (s->last_next + 1) % XR_OUTPUT_LAST_MAX;
    if (s->last_count < XR_OUTPUT_LAST_MAX)
        s->last_count++;
}

static void end_line(xr_output *s, int64_t now_ns, xr_output_function tell, void *context)
{
    while (s->length > 0 && (s->line[s->length - 1] == '\r' || s->line[s->length - 1] == ' '))
        s->length--;
    s->line[s->length] = '\0';
    if (s->length == 0)
        return;
    if (passes(s, now_ns))
        tell(context, s->line);
    else
        leave_out(s);
    s->length = 0;
}

void xr_output_take(xr_output *s, const char *text, size_t length, int64_t now_ns, xr_output_function tell,
                    void *context)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\n')
            end_line(s, now_ns, tell, context);
        else if (s->length < XR_OUTPUT_LINE_MAX - 1)
            s->line[s->length++] = text[i] ? text[i] : ' ';
    }
}

void xr_output_end(xr_output *s, bool crashed, int64_t now_ns, xr_output_function tell, void *context)
{
    end_line(s, now_ns, tell, context);
    for (size_t i = s->last_count; crashed && i > 0; i--) {
        tell(context, s->last[(s->last_next + XR_OUTPUT_LAST_MAX - i) % XR_OUTPUT_LAST_MAX]);
        s->left_out -= s->left_out > 0;
    }
    s->last_count = 0;
}

void xr_output_forget(xr_output *s)
{
    s->known_count = s->known_next = 0;
}

uint64_t xr_output_count(xr_output *s)
{
    const uint64_t count = s->left_out;

    s->left_out = 0;
    return count;
}
