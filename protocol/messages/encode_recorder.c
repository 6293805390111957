/* What is said of a recording while it is written or played, and the lines that stand in it for what else happened to it. */
#include "encode.h"

#include <stdio.h>

size_t protocol_encode_recording(char *out, size_t size, const char *id, int64_t time_ns, const char *file)
{
    json_writer w;

    encode_begin(&w, out, size, "ok");
    encode_id(&w, id);
    encode_key_int(&w, "time_ns", time_ns);
    if (file[0])
        encode_key_string(&w, "file", file);
    return encode_end(&w);
}

size_t protocol_encode_recorder(char *out, size_t size, const protocol_recorder *recorder)
{
    json_writer w;

    encode_begin(&w, out, size, "recorder");
    encode_key_int(&w, "time_ns", recorder->time_ns);
    encode_key_string(&w, "state", recorder->state);
    if (recorder->file[0])
        encode_key_string(&w, "file", recorder->file);
    encode_key_string(&w, "detail", recorder->detail);
    encode_key_uint(&w, "lost_lines", recorder->lost_lines);
    return encode_end(&w);
}

void encode_replay(json_writer *w, const protocol_replay_state *replay)
{
    char speed[32];

    encode_key_string(w, "state", replay->state);
    encode_key_string(w, "file", replay->file);
    json_key(w, "speed");
    snprintf(speed, sizeof speed, "%.9g", replay->speed);
    json_raw(w, speed);
    encode_key_bool(w, "loop", replay->loops);
    encode_key_int(w, "position_ns", replay->position_ns);
    encode_key_int(w, "start_ns", replay->start_ns);
    encode_key_int(w, "end_ns", replay->end_ns);
    encode_key_int(w, "shift_ns", replay->shift_ns);
    encode_key_uint(w, "passes", replay->passes);
    encode_key_uint(w, "damaged_lines", replay->damaged_lines);
}

size_t protocol_encode_replay(char *out, size_t size, const protocol_replay_state *replay)
{
    json_writer w;

    encode_begin(&w, out, size, "replay");
    encode_key_int(&w, "time_ns", replay->time_ns);
    encode_replay(&w, replay);
    return encode_end(&w);
}

size_t protocol_encode_recorded_gap(char *out, size_t size, int64_t time_ns, int64_t from_ns, uint64_t lines,
                                    uint64_t open_contacts)
{
    json_writer w;

    encode_begin(&w, out, size, "gap");
    encode_key_int(&w, "time_ns", time_ns);
    encode_key_int(&w, "from_ns", from_ns);
    encode_key_uint(&w, "lines", lines);
    encode_key_uint(&w, "open_contacts", open_contacts);
    return encode_end(&w);
}

void encode_equipment(json_writer *w, const protocol_equipment *equipment)
{
    if (equipment->runtime && equipment->runtime[0])
        encode_key_string(w, "runtime", equipment->runtime);
    if (equipment->controller_count == 0)
        return;
    json_array_begin_at(w, "controllers");
    for (size_t i = 0; i < equipment->controller_count; i++) {
        json_object_begin(w);
        encode_key_string(w, "device", equipment->controllers[i].device);
        encode_key_string(w, "profile", equipment->controllers[i].profile);
        json_object_end(w);
    }
    json_array_end(w);
}

size_t protocol_encode_recorded_equipment(char *out, size_t size, int64_t time_ns, const protocol_equipment *equipment)
{
    json_writer w;

    encode_begin(&w, out, size, "equipment");
    encode_key_int(&w, "time_ns", time_ns);
    encode_equipment(&w, equipment);
    return encode_end(&w);
}

size_t protocol_encode_recorded_mark(char *out, size_t size, int64_t time_ns, const char *text)
{
    json_writer w;

    encode_begin(&w, out, size, "mark");
    encode_key_int(&w, "time_ns", time_ns);
    encode_key_string(&w, "text", text);
    return encode_end(&w);
}
