/* The parts of cJSON that the page has: json_tree.c keeps and looks, json_read.c reads, json_print.c writes. */
#ifndef CLASHD_VIEWER_JSON_TREE_H
#define CLASHD_VIEWER_JSON_TREE_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

/** Room in the trees' blocks, aligned for anything, until the last tree is deleted. Return NULL when out of memory. */
void *json_tree_take(size_t size);
/** Count one more tree; cJSON_Delete ends it. */
void json_tree_begin(void);

#endif
