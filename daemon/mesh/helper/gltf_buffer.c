/* Base64 by RFC 4648, section 4. See gltf_buffer.h. */
#include "mesh/helper/gltf_buffer.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DATA "data:"
#define BASE64 ";base64"
#define TOO_FEW "buffers[%zu].byteLength: expected %zu, which its data has, not %zu"

/** Return a data URI's data, or NULL. */
static const char *data_of(const char *uri, bool *out_is_base64)
{
    const char *comma = uri && strncmp(uri, DATA, strlen(DATA)) == 0 ? strchr(uri, ',') : NULL;

    if (!comma)
        return NULL;
    *out_is_base64 =
        (size_t)(comma - uri) >= strlen(DATA BASE64) && strncmp(comma - strlen(BASE64), BASE64, strlen(BASE64)) == 0;
    return comma + 1;
}

/** Return 0 to 63; 64 if it is not in the alphabet. */
static uint32_t value_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (uint32_t)(c - 'A');
    if (c >= 'a' && c <= 'z')
        return (uint32_t)(c - 'a') + 26;
    if (c >= '0' && c <= '9')
        return (uint32_t)(c - '0') + 52;
    return c == '+' ? 62 : c == '/' ? 63 : 64;
}

/** Return how many bytes the text stands for; -1 if it is not base64. */
static int64_t decoded_size(const char *text)
{
    const size_t length = strlen(text);
    size_t padding = 0;

    if (length % 4 != 0)
        return -1;
    while (padding < 2 && padding < length && text[length - 1 - padding] == '=')
        padding++;
    for (size_t i = 0; i < length - padding; i++)
        if (value_of(text[i]) == 64)
            return -1;
    return (int64_t)(length / 4 * 3 - padding);
}

/** Decode valid base64. Return NULL when out of memory. */
static char *decode(const char *text, size_t size)
{
    char *out = malloc(size + 1);
    uint32_t word = 0;

    for (size_t i = 0; out && i < size; i++) {
        if (i % 3 == 0) {
            word = 0;
            for (size_t k = 0; k < 4; k++, text++)
                word = word << 6 | (value_of(*text) & 63);
        }
        out[i] = (char)(word >> (16 - 8 * (i % 3)) & 255);
    }
    return out;
}

static bool check_uri(const gltf_buffer *buffer, size_t i, failure *why)
{
    bool is_base64 = false;
    const char *data = data_of(buffer->uri, &is_base64);
    const int64_t size = !data ? 0 : is_base64 ? decoded_size(data) : (int64_t)strlen(data);

    if (size < 0)
        return fail_with(why, "buffers[%zu].uri: its data is no base64", i);
    if (data && (uint64_t)size != buffer->length)
        return fail_with(why, TOO_FEW, i, (size_t)size, buffer->length);
    return true;
}

bool gltf_buffer_init(gltf_buffer *out, const cJSON *object, size_t i, const char *binary, size_t binary_size,
                      failure *why)
{
    const cJSON *length = cJSON_GetObjectItemCaseSensitive(object, "byteLength");

    *out = (gltf_buffer){.uri = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, "uri"))};
    if (!length || !cJSON_IsNumber(length))
        return fail_with(why, "buffers[%zu].byteLength: is missing", i);
    out->length = (size_t)length->valuedouble;
    if (out->uri)
        return check_uri(out, i, why);
    if (binary && binary_size < out->length)
        return fail_with(why, "buffers[%zu].byteLength: expected at most %zu, which the binary chunk has, not %zu", i,
                         binary_size, out->length);
    out->bytes = binary;
    return true;
}

bool gltf_buffer_load(gltf_buffer *buffer, size_t i, const gltf_external *beside, failure *why)
{
    bool is_base64 = false;
    const char *data = data_of(buffer->uri, &is_base64);
    size_t size = buffer->length;

    if (buffer->bytes || buffer->is_tried)
        return true;
    buffer->is_tried = true;
    if (!buffer->uri)
        return fail_with(why, "buffers[%zu].uri: is missing", i);
    if (data && !is_base64) {
        buffer->bytes = data;
        return true;
    }
    buffer->own = data ? decode(data, size) : beside->read(beside->context, buffer->uri, &size);
    buffer->bytes = buffer->own;
    if (buffer->own && size < buffer->length)
        return fail_with(why, TOO_FEW, i, size, buffer->length);
    return true;
}
