/* Schema texts to the rows of C that node.h declares, at build time: clashd itself has no text of a schema. A keyword, or a
 * form of one, that is not understood is found here, so the build fails rather than a check. */
#ifndef CLASHD_PROTOCOL_SCHEMA_CHECK_COMPILER_COMPILE_H
#define CLASHD_PROTOCOL_SCHEMA_CHECK_COMPILER_COMPILE_H

#include <cjson/cJSON.h>
#include <stddef.h>
#include <stdio.h>

#define SCHEMA_NODES_MAX 4096

typedef struct schema_compilation {
    FILE *arrays, *nodes; /* C: what the nodes point to, and the initializers of schema_nodes */
    const cJSON *common;  /* what $refs point into */
    const char *unknown;  /* the first keyword that is not understood; NULL: all are */
    int depth;
    size_t count;                            /* of nodes */
    const cJSON *compiled[SCHEMA_NODES_MAX]; /* the text of each */
} schema_compilation;

static inline const cJSON *schema_get(const cJSON *text, const char *keyword)
{
    return cJSON_GetObjectItemCaseSensitive(text, keyword);
}

/** Put the properties that a $ref points to behind those that stand beside the $ref, in all of the text; the only place in
 *  which unevaluatedProperties are understood. */
void schema_spread(const schema_compilation *c, cJSON *text);
/** Write the nodes of a schema, those of its parts first, each text once; its place in schema_nodes. */
size_t schema_compile(schema_compilation *c, const cJSON *text);
/** A string of C. */
void schema_put_string(FILE *out, const char *text);
/** What a schema allows: `a number from 0 to 1000`, `one of "stage", "local"`, `an array of 3 numbers`, `a string or null`. */
void schema_put_words(FILE *out, const cJSON *schema);

#endif
