/* Cells of CSV (RFC 4180) that hold text from outside, so that it stays text: in a spreadsheet too. */
#ifndef CLASHD_CLI_CSV_H
#define CLASHD_CLI_CSV_H

#include <stdio.h>

/** In quotes where it needs them. What a spreadsheet would take for a formula, as it begins with = + - @, a tab or a carriage
 *  return, has an apostrophe before it, which is theirs for "this is text". No comma. */
void csv_text(FILE *out, const char *text);

#endif
