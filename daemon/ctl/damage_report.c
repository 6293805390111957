/* Report damage; see damage_report.h. If a file is damaged all over, the first few lines say as much as all. */
#include "damage_report.h"

#include "cli/output.h"

#include <inttypes.h>

#define SHOWN_MAX 10

void damage_report_add(void *report, uint64_t line_number, const char *message)
{
    damage_report *r = report;

    if (r->seen++ < SHOWN_MAX)
        output_error(r->command, "%s:%" PRIu64 ": left out: %s", r->file, line_number, message);
}

void damage_report_end(const damage_report *r)
{
    if (r->seen > SHOWN_MAX)
        output_error(r->command, "%s: %" PRIu64 " more such places", r->file, r->seen - SHOWN_MAX);
}
