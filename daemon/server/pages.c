/* What plain requests of HTTP get at the port of the WebSocket: clashd's own page, what Prometheus asks for, recordings, and the
 * user's look of the overlay. Who may have which is tested by then. See server_private.h. */
#include "pages.h"

#include <stdlib.h>
#include <string.h>

#define REVALIDATE "no-cache" /* kept, and asked for again each time: an answer of 304 is short */
#define NEVER_KEEP "no-store"
#define PAGE_CSS_MAX (1u << 20)

static void answer_metrics(server *s, page_answer *a, const page_request *request)
{
    server_reply reply;

    (void)request;
    server_ask_owner(s, SERVER_ASK_METRICS, NULL, &reply);
    page_answer_heap(
        a,
        &(page_head){.content_type = reply.metrics.content_type, .cache = NEVER_KEEP, .length = reply.metrics.length},
        reply.metrics.text);
}

static const web_asset *find_asset(const server *s, const char *path)
{
    const web_assets *all = s->settings.assets;

    for (size_t i = 0; all && i < all->count; i++)
        if (strcmp(all->list[i].path, path) == 0)
            return &all->list[i];
    return NULL;
}

static void answer_asset(page_answer *a, const web_asset *asset)
{
    page_answer_static(
        a,
        &(page_head){
            .content_type = asset->content_type, .cache = REVALIDATE, .etag = asset->etag, .length = asset->length},
        asset->bytes);
}

/* Whoever has no look of their own gets the page's. */
static void answer_overlay_css(server *s, page_answer *a, const page_request *request)
{
    const web_asset *asset = find_asset(s, request->route->path);

    if (s->settings.overlay_css && s->settings.overlay_css[0])
        pages_open_file(s, a,
                        &(page_file_wanted){.path = s->settings.overlay_css,
                                            .key = "viewer.overlay_css",
                                            .content_type = "text/css; charset=utf-8",
                                            .bytes_max = PAGE_CSS_MAX});
    else if (asset)
        answer_asset(a, asset);
    else
        page_answer_refuse(a, "404 Not Found", "viewer.overlay_css names no file in clashd's configuration");
}

/* Return NULL if there is none, which has been answered. */
static const char *log_directory(const server *s, page_answer *a)
{
    for (size_t i = 0; i < sizeof s->settings.log_directories / sizeof s->settings.log_directories[0]; i++)
        if (s->settings.log_directories[i] && s->settings.log_directories[i][0])
            return s->settings.log_directories[i];
    page_answer_refuse(a, "404 Not Found",
                       "there are no recordings here: neither record.directory nor viewer.logs names a directory in "
                       "clashd's configuration");
    return NULL;
}

static void answer_list(server *s, page_answer *a, const page_request *request)
{
    const char *directory = log_directory(s, a);

    (void)request;
    if (directory)
        pages_list_logs(s, a, directory);
}

static bool is_compressed(const char *name)
{
    return strcmp(name + strlen(name) - 4, ".zst") == 0;
}

static void answer_log(server *s, page_answer *a, const page_request *request)
{
    const size_t before = strlen(request->route->path);
    const char *directory = log_directory(s, a);
    page_file_wanted wanted = {.path = directory};
    char name[NAME_MAX + 1];

    if (!directory)
        return;
    if (!pages_log_name(request->path.bytes + before, request->path.length - before, name, sizeof name)) {
        page_answer_refuse(
            a, "404 Not Found",
            "that is no name of a recording: expected one that /logs lists, ending in .jsonl or .jsonl.zst");
        return;
    }
    wanted.name = name;
    wanted.content_type = is_compressed(name) ? "application/zstd" : "application/x-ndjson";
    pages_open_file(s, a, &wanted);
}

static void answer_missing(server *s, page_answer *a, const page_request *request)
{
    (void)request;
    page_answer_refuse(a, "404 Not Found", "%s",
                       s->settings.assets && s->settings.assets->missing ? s->settings.assets->missing
                                                                         : "this clashd was built without its page");
}

/* What is no file of the page's; before those. */
typedef struct made_page {
    const char *path;
    page_access access;
    void (*answer)(server *s, page_answer *a, const page_request *request);
    bool if_missing; /* only if the program was built without its page */
} made_page;

static const made_page made[] = {
    {"/metrics", PAGE_TOKEN, answer_metrics, false}, {"/overlay.css", PAGE_PUBLIC, answer_overlay_css, false},
    {"/logs", PAGE_OWN, answer_list, false},         {"/logs/", PAGE_OWN, answer_log, false},
    {"/", PAGE_PUBLIC, answer_missing, true},        {"/overlay", PAGE_PUBLIC, answer_missing, true},
};
/* Under which other name a file of the page is known. */
static const struct {
    const char *path, *file;
} other_names[] = {{"/", "/index.html"}, {"/overlay", "/overlay.html"}};

enum { MADE = sizeof made / sizeof made[0], OTHER_NAMES = sizeof other_names / sizeof other_names[0] };

static void answer(void *context, page_answer *a, const page_request *request)
{
    if (request->route->what) {
        answer_asset(a, request->route->what);
        return;
    }
    for (size_t i = 0; i < MADE; i++)
        if (strcmp(made[i].path, request->route->path) == 0) {
            made[i].answer(context, a, request);
            return;
        }
}

int server_open_pages(server *s, endpoint_settings *settings, failure *out_failure)
{
    const size_t assets = s->settings.assets ? s->settings.assets->count : 0;
    size_t count = 0;

    free(s->pages);
    s->pages = malloc((MADE + OTHER_NAMES + assets) * sizeof s->pages[0]);
    if (!s->pages)
        return fail_int(out_failure, "out of memory");
    for (size_t i = 0; i < MADE; i++)
        if (!made[i].if_missing || assets == 0)
            s->pages[count++] = (page_route){made[i].path, made[i].access, NULL};
    for (size_t i = 0; i < OTHER_NAMES; i++) {
        const web_asset *asset = find_asset(s, other_names[i].file);

        if (asset)
            s->pages[count++] = (page_route){other_names[i].path, PAGE_PUBLIC, asset};
    }
    for (size_t i = 0; i < assets; i++)
        s->pages[count++] = (page_route){s->settings.assets->list[i].path, PAGE_PUBLIC, &s->settings.assets->list[i]};
    settings->page = answer;
    settings->rules.pages = s->pages;
    settings->rules.page_count = count;
    return 0;
}
