/* See csv.h. */
#include "csv.h"

#include <stdbool.h>
#include <string.h>

void csv_text(FILE *out, const char *text)
{
    const bool is_formula = text[0] && strchr("=+-@\t\r", text[0]);
    const bool needs_quotes = strpbrk(text, ",\"\r\n") != NULL;

    if (needs_quotes)
        fputc('"', out);
    if (is_formula)
        fputc('\'', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    if (needs_quotes)
        fputc('"', out);
}
