/* What players of a room tell each other, as lines: see room_message.h. */
#include "encode.h"
#include "names.h"
#include "room_message.h"

static void put_room(json_writer *w, const clash_pose *room_from_stage)
{
    json_object_begin_at(w, "room");
    encode_key_vec3(w, "position", room_from_stage->position);
    encode_key_quat(w, "orientation", room_from_stage->orientation);
    json_object_end(w);
}

size_t room_encode_peer(char *out, size_t size, const room_message_peer *peer)
{
    json_writer w;

    encode_begin(&w, out, size, "peer");
    encode_key_string(&w, "session", peer->session);
    encode_key_uint(&w, "version", peer->version);
    encode_key_uint(&w, "from_sample", peer->from_sample);
    if (peer->is_referee)
        encode_key_bool(&w, "referee", true);
    if (peer->agrees)
        encode_key_bool(&w, "agrees", true);
    if (peer->clock[0])
        encode_key_string(&w, "clock", peer->clock);
    put_room(&w, &peer->room_from_stage);
    encode_contact_settings(&w, &peer->contact);
    json_array_begin_at(&w, "blades");
    for (size_t i = 0; i < peer->blade_count; i++) {
        const clash_blade blade = clash_blade_of(&peer->blades[i]);

        json_object_begin(&w);
        encode_blade(&w, &blade, true);
        json_object_end(&w);
    }
    json_array_end(&w);
    return encode_end(&w);
}

static void put_knots(json_writer *w, const room_message_samples *s)
{
    json_array_begin_at(w, "knots");
    for (size_t i = 0; i < s->knot_count; i++) {
        json_array_begin(w);
        json_int(w, s->knots[i][0]);
        json_int(w, s->knots[i][1]);
        json_array_end(w);
    }
    json_array_end(w);
}

static void put_sample(json_writer *w, const room_message_sample *s)
{
    const clash_vec3 p = s->pose.position;
    const clash_quat q = s->pose.orientation;
    const float numbers[] = {p.x, p.y, p.z, q.x, q.y, q.z, q.w};

    json_array_begin(w);
    json_uint(w, s->device);
    json_uint(w, (s->is_valid ? 1u : 0u) | (s->is_tracked ? 2u : 0u) | (s->is_teleport ? 4u : 0u));
    json_int(w, s->time_ns);
    for (size_t i = 0; s->is_valid && i < sizeof numbers / sizeof numbers[0]; i++)
        json_float(w, numbers[i]);
    json_array_end(w);
}

size_t room_encode_samples(char *out, size_t size, const room_message_samples *samples)
{
    json_writer w;

    encode_begin(&w, out, size, "samples");
    encode_key_string(&w, "session", samples->session);
    encode_key_uint(&w, "version", samples->version);
    encode_key_string(&w, "clock", samples->clock);
    encode_key_int(&w, "error_ns", samples->error_ns);
    put_knots(&w, samples);
    json_array_begin_at(&w, "devices");
    for (size_t i = 0; i < samples->device_count; i++)
        json_string(&w, samples->devices[i]);
    json_array_end(&w);
    encode_key_uint(&w, "first", samples->first);
    json_array_begin_at(&w, "samples");
    for (size_t i = 0; i < samples->count; i++)
        put_sample(&w, &samples->samples[i]);
    json_array_end(&w);
    return encode_end(&w);
}

size_t room_encode_clock_ask(char *out, size_t size, const room_message_clock *ask)
{
    json_writer w;

    encode_begin(&w, out, size, "clock_ask");
    encode_key_string(&w, "session", ask->session);
    encode_key_uint(&w, "number", ask->number);
    encode_key_int(&w, "sent_ns", ask->sent_ns);
    return encode_end(&w);
}

size_t room_encode_clock_answer(char *out, size_t size, const room_message_clock *answer)
{
    json_writer w;

    encode_begin(&w, out, size, "clock_answer");
    encode_key_string(&w, "session", answer->session);
    encode_key_string(&w, "asked_by", answer->asked_by);
    encode_key_uint(&w, "number", answer->number);
    encode_key_int(&w, "sent_ns", answer->sent_ns);
    encode_key_int(&w, "received_ns", answer->received_ns);
    encode_key_int(&w, "answered_ns", answer->answered_ns);
    encode_key_string(&w, "clock", answer->clock);
    return encode_end(&w);
}

size_t room_encode_contact(char *out, size_t size, const room_message_contact *contact)
{
    json_writer w;

    encode_begin(&w, out, size, "contact");
    encode_key_string(&w, "session", contact->session);
    encode_key_string(&w, "clock", contact->clock);
    json_array_begin_at(&w, "blades");
    for (size_t i = 0; i < 2; i++)
        json_string(&w, contact->blades[i]);
    json_array_end(&w);
    encode_key_int(&w, "room_id", contact->room_id);
    encode_key_int(&w, "room_time_ns", contact->room_time_ns);
    return encode_end(&w);
}
