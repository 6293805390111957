/* Pages of outlines: see outlines.h. */
#include "outlines.h"

#include <stdio.h>
#include <string.h>

/** Bytes of a line for targets; the rest is for what is around them, the longest id included. */
#define PAGE_BYTES (PROTOCOL_LINE_MAX - 1024)
/** Triangles whose edges are found for one page; the next page has the rest, so that nobody waits long. */
#define PAGE_TRIANGLES ((size_t)2 * TARGET_OUTLINE_LATER_MAX)

typedef struct budget {
    size_t bytes, triangles;
} budget;

/* Make its outline if the page may still cost that. The first one of a page always may. */
static bool outline(scene_target *target, budget *left, bool is_first)
{
    const clash_mesh *mesh = target->shape.mesh;
    const size_t triangles = mesh && !target->shape.is_outlined ? clash_mesh_triangle_count(mesh) : 0;

    if (triangles > left->triangles && !is_first)
        return false;
    left->triangles -= triangles < left->triangles ? triangles : left->triangles;
    target_shape_outline(&target->shape, &target->definition);
    return true;
}

static int refuse(const scene *s, const char *name, protocol_error *out_error)
{
    char list[300];
    size_t used = 0;
    const clash_target_definition *target;

    list[0] = '\0';
    for (size_t i = 0; (target = scene_target_at(s, i)) && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s\"%s\"", i > 0 ? ", " : "", target->name);
    return protocol_refuse(out_error, PROTOCOL_ERROR_UNKNOWN_NAME,
                           "target: no target is called \"%.63s\"; there %s %s%s", name, list[0] ? "are" : "is",
                           list[0] ? list : "none", used >= sizeof list ? " ..." : "");
}

static scene_target *target_at(const scene *s, const protocol_ask_outlines *asked, size_t index)
{
    if (asked->target[0])
        return index == 0 ? scene_target_of(pipeline_find_target(s->pipeline, asked->target)) : NULL;
    return scene_target_of(pipeline_target_at(s->pipeline, asked->from_target + index));
}

/* Add as much of a target as there are bytes for; false if some of it is left for the next page. */
static bool put(outlines_page *out, const scene_target *target, size_t first, budget *left)
{
    const target_shape *shape = &target->shape;
    const size_t room = (left->bytes - PROTOCOL_OUTLINE_BYTES) / PROTOCOL_OUTLINE_LINE_BYTES;
    const size_t all = shape->outline_count - first, count = all < room ? all : room;

    out->targets[out->page.target_count++] = (protocol_outline){
        .name = target->definition.name,
        .device = target->definition.device,
        .lines = shape->outline ? shape->outline + first : NULL,
        .first = first,
        .count = count,
        .line_count = shape->outline_count,
        .is_simplified = !shape->is_outline_whole,
    };
    left->bytes -= PROTOCOL_OUTLINE_BYTES + count * PROTOCOL_OUTLINE_LINE_BYTES;
    out->page.next_line = first + count;
    return count == all;
}

int outlines_list(const scene *s, const protocol_ask_outlines *asked, int64_t time_ns, outlines_page *out_page,
                  protocol_error *out_error)
{
    protocol_outlines *page = &out_page->page;
    budget left = {PAGE_BYTES, PAGE_TRIANGLES};
    size_t first = asked->from_line;
    scene_target *target = NULL;

    *page = (protocol_outlines){.time_ns = time_ns,
                                .definitions = pipeline_get_counters(s->pipeline)->definitions,
                                .targets = out_page->targets};
    if (asked->target[0] && !target_at(s, asked, 0))
        return refuse(s, asked->target, out_error);
    for (size_t i = 0; (target = target_at(s, asked, i)); i++, first = 0) {
        page->has_next = true;
        page->next_target = asked->from_target + i;
        page->next_line = first;
        if (page->target_count == OUTLINES_TARGETS_MAX || left.bytes < PROTOCOL_OUTLINE_BYTES ||
            !outline(target, &left, page->target_count == 0))
            return 0;
        if (first > target->shape.outline_count)
            first = target->shape.outline_count;
        if (!put(out_page, target, first, &left))
            return 0;
    }
    page->has_next = false;
    return 0;
}
