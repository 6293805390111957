/* The configuration reader: any text as a file, and its lines as --set assignments. What it takes keeps its promises; what
 * it refuses leaves the configuration alone and says why, on one line. */
#include <math.h>

#include "config/config.h"
#include "fuzz/fuzz.h"
#include "support/bits.h"
#include "support/fresh.h"

enum { TEXT_MAX = 65536, LINES_MAX = 20 };

static bool ends_within(const char *text, size_t size)
{
    return memchr(text, '\0', size) != NULL;
}

static void check_blade(const clash_blade_definition *b)
{
    FUZZ_CHECK(ends_within(b->name, sizeof b->name) && b->name[0]);
    FUZZ_CHECK(ends_within(b->device, sizeof b->device) && b->device[0]);
    FUZZ_CHECK(clash_vec3_is_finite(b->properties.shape.base) && clash_vec3_is_finite(b->properties.shape.tip));
    FUZZ_CHECK(b->properties.shape.radius >= 0.0f && isfinite(b->properties.shape.radius));
    FUZZ_CHECK(!b->properties.has_edge ||
               (clash_vec3_is_finite(b->properties.edge) && clash_vec3_length(b->properties.edge) > 0.0f));
}

static void check_config(const config_values *c)
{
    pipeline_settings settings = config_pipeline_settings(c);

    FUZZ_CHECK(c->blade_count <= CONFIG_BLADES_MAX);
    for (size_t i = 0; i < c->blade_count; i++)
        check_blade(&c->blades[i]);
    FUZZ_CHECK(settings.margin >= 0.0f && isfinite(settings.margin));
    FUZZ_CHECK(settings.release_margin >= 0.0f && isfinite(settings.release_margin));
    FUZZ_CHECK(settings.hold_rate_hz >= 0.0f && isfinite(settings.hold_rate_hz));
    FUZZ_CHECK(settings.max_gap_ns > 0 && isfinite(settings.full_intensity_speed));
    FUZZ_CHECK(isfinite(c->openxr.rate_hz) && isfinite(c->openxr.lookahead_ms));
    FUZZ_CHECK(c->openxr.offsets.count <= POSE_OFFSETS_MAX);
    for (size_t i = 0; i < c->openxr.offsets.count; i++)
        FUZZ_CHECK(ends_within(c->openxr.offsets.offsets[i].profile, POSE_PROFILE_MAX) &&
                   clash_quat_is_unit(c->openxr.offsets.offsets[i].grip_from_held.orientation, 0.01f));
    FUZZ_CHECK(ends_within(c->openxr.space, sizeof c->openxr.space));
    FUZZ_CHECK(ends_within(c->socket.path, sizeof c->socket.path) && ends_within(c->socket.tcp, sizeof c->socket.tcp));
    config_can_clash(c);
}

static void check_answer(const config_values *before, const config_values *after, config_result result,
                         const char *said)
{
    FUZZ_CHECK(ends_within(said, FAILURE_MAX));
    if (result == CONFIG_OK) {
        check_config(after);
        return;
    }
    FUZZ_CHECK(bits_same(before, after, sizeof *after));
    FUZZ_CHECK(said[0] && !strchr(said, '\n'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static config_values before, config;
    static char text[TEXT_MAX + 1];
    failure error = {0};
    char *line = text;

    if (size > TEXT_MAX)
        size = TEXT_MAX;
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    memset(&config, 0, sizeof config);
    config_defaults(&config);
    memcpy(&before, &config, sizeof config);
    check_answer(&before, &config, config_apply_text(&config, "file.json", text, fresh(&error)), error.text);
    for (int i = 0; i < LINES_MAX && line; i++) {
        char *end = strchr(line, '\n');

        if (end)
            *end++ = '\0';
        memcpy(&before, &config, sizeof config);
        check_answer(&before, &config, config_set(&config, line, fresh(&error)), error.text);
        line = end;
    }
    return 0;
}
