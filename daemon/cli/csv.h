/* Write CSV cells (RFC 4180) with text from outside, so that it stays text in a spreadsheet too. */
#ifndef CLASHD_CLI_CSV_H
#define CLASHD_CLI_CSV_H

#include <stdio.h>

/** Print a cell, in quotes if needed; no comma. Text that a spreadsheet would take for a formula (it begins with = + -
 *  @, a tab or a carriage return) gets an apostrophe first, which means "this is text". */
void csv_text(FILE *out, const char *text);

#endif
