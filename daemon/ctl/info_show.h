/* What clashctl info prints: for people, as one line of JSON (protocol/schema/report/info.schema.json), or as a table.
 * Standard output has nothing else. */
#ifndef CLASHD_CTL_INFO_SHOW_H
#define CLASHD_CTL_INFO_SHOW_H

#include "offline/info.h"

/** A remark and its size. */
#define INFO_REMARK_MAX 700
/** Write the i-th remark on what looks wrong; false past the last. */
bool info_remark(const file_info *i, size_t index, char out_text[INFO_REMARK_MAX]);

void info_show_text(const file_info *i);
/** Return false when out of memory. */
bool info_show_json(const file_info *i, const char *file);
void info_show_csv(const file_info *i, const char *file);

#endif
