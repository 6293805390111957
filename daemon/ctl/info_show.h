/* What clashctl info prints: for people, as one line of JSON (protocol/schema/report/info.schema.json), as a table. To standard
 * output, and nothing else there. */
#ifndef CLASHD_CTL_INFO_SHOW_H
#define CLASHD_CTL_INFO_SHOW_H

#include "offline/info.h"

/** A remark and its size. */
#define INFO_REMARK_MAX 700
/** Of what looks wrong the i-th: false beyond the last. */
bool info_remark(const app_info *i, size_t index, char out_text[INFO_REMARK_MAX]);

void info_show_text(const app_info *i);
/** False when out of memory. */
bool info_show_json(const app_info *i, const char *file);
void info_show_csv(const app_info *i, const char *file);

#endif
