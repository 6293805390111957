/* The first line of a connection: the session's clock, the blades, what clashd understands. */
#include "client_read.h"

#include "protocol/messages/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/** An epoch: decimal digits in a string, since it may exceed what a double holds. */
static int64_t read_epoch(reading *r, const char *key)
{
    const char *text = read_string(r, key);
    const char *digits = text[0] == '-' ? text + 1 : text;
    long long value;

    if (digits[0] == '\0' || strspn(digits, "0123456789") != strlen(digits)) {
        read_wrong(r, "expected decimal digits: ", key);
        return 0;
    }
    errno = 0;
    value = strtoll(text, NULL, 10);
    if (errno != 0)
        read_wrong(r, "out of range: ", key);
    return value;
}

/** As many swords as blades: there is room for each to have parts. */
static void read_blades(reading *r, clash_blade *out_blades, clash_sword *out_swords)
{
    const cJSON *item;
    size_t i = 0;

    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(r->object, "blades"))
    {
        reading one = {.object = item};
        clash_blade *blade = &out_blades[i++];
        clash_blade_properties *p = &blade->properties;
        const char *wrong;

        blade->name = read_string(&one, "name");
        blade->device = read_string(&one, "device");
        wrong = parse_blade_properties(item, p);
        if (wrong)
            read_wrong(&one, "out of range: ", wrong);
        p->shape = (clash_capsule){read_vec3(&one, "base"), read_vec3(&one, "tip"), read_float(&one, "radius")};
        blade->sword = read_sword(&one, &out_swords[i - 1]) ? &out_swords[i - 1] : NULL;
        p->has_edge = cJSON_HasObjectItem(item, "edge");
        if (p->has_edge)
            p->edge = read_vec3(&one, "edge");
        read_join(r, &one);
    }
}

static void read_capabilities(reading *r, const char **out_words)
{
    const cJSON *item;
    size_t i = 0;

    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(r->object, "capabilities"))
    {
        if (!cJSON_IsString(item))
            read_wrong(r, "expected strings: ", "capabilities");
        out_words[i++] = cJSON_IsString(item) ? item->valuestring : "";
    }
}

static void read_devices(reading *r, clash_client_device *out_devices)
{
    const cJSON *item;
    size_t i = 0;

    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(r->object, "devices"))
    {
        reading one = {.object = item}, stage = {.object = cJSON_GetObjectItemCaseSensitive(item, "stage")};
        clash_client_device *d = &out_devices[i++];

        *d = (clash_client_device){.name = read_string(&one, "device"),
                                   .tracked = read_bool(&one, "tracked"),
                                   .source = names_find_source(parse_string(item, "source", "")),
                                   .space = parse_string(item, "space", ""),
                                   .has_stage = stage.object != NULL};
        if (d->has_stage)
            d->stage = (clash_pose){read_quat(&stage, "orientation"), read_vec3(&stage, "position")};
        read_join(r, &one);
        read_join(r, &stage);
    }
}

static clash_client_hello read_hello(reading *r)
{
    clash_client_hello h = {.protocol = read_int(r, "protocol"),
                            .version = read_string(r, "version"),
                            .session = read_string(r, "session"),
                            .space = read_string(r, "space"),
                            .axes = read_string(r, "axes"),
                            .epoch_monotonic_ns = read_epoch(r, "epoch_monotonic_ns"),
                            .epoch_unix_ns = read_epoch(r, "epoch_unix_ns"),
                            .blade_count = read_array(r, "blades"),
                            .target_count = cJSON_HasObjectItem(r->object, "targets") ? read_array(r, "targets") : 0,
                            .device_count = cJSON_HasObjectItem(r->object, "devices") ? read_array(r, "devices") : 0,
                            .capability_count = read_array(r, "capabilities")};

    if (__builtin_add_overflow(h.epoch_monotonic_ns, read_int(r, "time_ns"), &h.time_ns))
        read_wrong(r, "out of range: ", "time_ns");
    return h;
}

void client_take_hello(clash_client *c, reading *r)
{
    clash_client_hello hello = read_hello(r);
    clash_blade *blades = r->wrong ? NULL : calloc(hello.blade_count + 1, sizeof *blades);
    clash_sword *swords = r->wrong ? NULL : calloc(hello.blade_count + 1, sizeof *swords);
    clash_client_target *targets = r->wrong ? NULL : calloc(hello.target_count + 1, sizeof *targets);
    clash_client_device *devices = r->wrong ? NULL : calloc(hello.device_count + 1, sizeof *devices);
    const char **words = r->wrong ? NULL : calloc(hello.capability_count + 1, sizeof *words);

    if (blades && swords && targets && devices && words) {
        read_blades(r, blades, swords);
        read_capabilities(r, words);
        hello.target_count = read_targets(r, targets);
        read_devices(r, devices);
        hello.blades = blades;
        hello.devices = devices;
        hello.targets = targets;
        hello.capabilities = words;
    } else {
        read_wrong(r, "out of memory", "");
    }
    if (!r->wrong) {
        c->greeted = true;
        c->epoch_ns = hello.epoch_monotonic_ns;
        if (c->listener.hello)
            c->listener.hello(c->listener.context, &hello);
    }
    free(blades);
    free(swords);
    free(targets);
    free(devices);
    free(words);
}
