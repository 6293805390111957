/* What clashctl verify prints for programs: a line of JSON (protocol/schema/report/verify.schema.json), or a table of
 * one row. Standard output has nothing else. */
#ifndef CLASHD_CTL_VERIFY_REPORT_H
#define CLASHD_CTL_VERIFY_REPORT_H

#include "offline/verify.h"

void verify_show_json(const verify_report *r, const char *verdict, const char *file);
void verify_show_csv(const verify_report *r, const char *verdict, const char *file);

#endif
