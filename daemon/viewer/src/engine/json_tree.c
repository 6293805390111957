/* What of cJSON the rooms call that are compiled into the page, whose library is there for the machine only. Trees lie in blocks
 * that are used again as soon as no tree is left: a line costs no allocation. One thread. */
#include "json_tree.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* A block holds what comes of the longest line: each byte at most a node. */
#define BLOCK_BYTES ((size_t)1 << 20)

typedef struct block {
    struct block *next;
    size_t used, size;
    max_align_t bytes[];
} block;

static block *first, *current;
static size_t trees;

static bool enter(block *b)
{
    if (!b)
        return false;
    b->used = 0;
    current = b;
    return true;
}

static block *add_block(size_t size)
{
    block *b = malloc(sizeof *b + size);

    if (!b)
        return NULL;
    *b = (block){.size = size, .next = current ? current->next : NULL};
    *(current ? &current->next : &first) = b;
    return b;
}

void *json_tree_take(size_t size)
{
    void *taken;

    size = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    if (!current && !enter(first ? first : add_block(size > BLOCK_BYTES ? size : BLOCK_BYTES)))
        return NULL;
    if (size > current->size - current->used) {
        block *next = current->next && current->next->size >= size ? current->next
                                                                   : add_block(size > BLOCK_BYTES ? size : BLOCK_BYTES);

        if (!enter(next))
            return NULL;
    }
    taken = (char *)current->bytes + current->used;
    current->used += size;
    return taken;
}

void json_tree_begin(void)
{
    trees++;
}

void cJSON_Delete(cJSON *item)
{
    if (item && --trees == 0)
        enter(first);
}

void cJSON_free(void *object)
{
    free(object);
}

/* ---- looking ---- */

static bool is_type(const cJSON *item, int type)
{
    return item && (item->type & 0xff & type) != 0;
}

cJSON_bool cJSON_IsTrue(const cJSON *const item)
{
    return is_type(item, cJSON_True);
}

cJSON_bool cJSON_IsBool(const cJSON *const item)
{
    return is_type(item, cJSON_True | cJSON_False);
}

cJSON_bool cJSON_IsNull(const cJSON *const item)
{
    return is_type(item, cJSON_NULL);
}

cJSON_bool cJSON_IsNumber(const cJSON *const item)
{
    return is_type(item, cJSON_Number);
}

cJSON_bool cJSON_IsString(const cJSON *const item)
{
    return is_type(item, cJSON_String);
}

cJSON_bool cJSON_IsArray(const cJSON *const item)
{
    return is_type(item, cJSON_Array);
}

cJSON_bool cJSON_IsObject(const cJSON *const item)
{
    return is_type(item, cJSON_Object);
}

int cJSON_GetArraySize(const cJSON *array)
{
    const cJSON *child;
    int count = 0;

    cJSON_ArrayForEach(child, array)
    {
        count++;
    }
    return count;
}

cJSON *cJSON_GetObjectItemCaseSensitive(const cJSON *const object, const char *const string)
{
    cJSON *child = object ? object->child : NULL;

    while (child && (!child->string || strcmp(child->string, string) != 0))
        child = child->next;
    return child;
}

/* As cJSON's, which ignores case. */
cJSON_bool cJSON_HasObjectItem(const cJSON *object, const char *string)
{
    for (const cJSON *child = object ? object->child : NULL; child; child = child->next) {
        const char *a = child->string, *b = string;

        while (a && *a && (*a | 0x20) == (*b | 0x20))
            a++, b++;
        if (a && *a == *b)
            return true;
    }
    return false;
}
