// The same lines through simdjson's DOM: what a parse costs at the least that checks everything and keeps it all.
#include <simdjson.h>

extern "C" {
#define _Noreturn
#include "bench.h"
#undef _Noreturn
}

static void parse_line(void *context, const char *line, size_t length)
{
    static_assert(simdjson::SIMDJSON_PADDING <= BENCH_PADDING, "simdjson reads further than there is something to read");
    auto *parser = static_cast<simdjson::dom::parser *>(context);

    if (parser->parse(line, length, false).error())
        die("simdjson", "cannot parse a line");
}

extern "C" uint64_t simdjson_lines(const char *path)
{
    simdjson::dom::parser parser;

    return lines_each(path, parse_line, &parser);
}
