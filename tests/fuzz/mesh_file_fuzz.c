/* What clashd-mesh looks at before its loader gets a file, as an OBJ or a glTF: any bytes are refused in one line, or let
 * through; nothing is read before or behind them, and a buffer beside the file is no more believed than the file. An input is a
 * byte that says which of both it is, one that says how long the file beside it is, and the file. */
#include "fuzz/fuzz.h"
#include "mesh/helper/gltf_check.h"
#include "mesh/helper/obj_check.h"

static char *read_external(void *context, const char *uri, size_t *out_size)
{
    const size_t size = *(const uint8_t *)context;
    char *bytes = uri[0] == 'b' ? malloc(size + 1) : NULL;

    for (size_t i = 0; bytes && i < size; i++)
        bytes[i] = (char)(i % 3);
    *out_size = size;
    return bytes;
}

static void check(bool is_good, const char *why)
{
    FUZZ_CHECK(is_good == (why[0] == '\0'));
    for (; *why; why++)
        FUZZ_CHECK((unsigned char)*why >= ' ' && (unsigned char)*why < 0x7f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    const uint8_t is_obj = fuzz_byte(&in) & 1, beside_size = fuzz_byte(&in);
    const gltf_external beside = {(void *)(uintptr_t)&beside_size, read_external};
    char *bytes = malloc(in.size + 1);
    failure why = {0};
    bool is_good;

    if (!bytes)
        return 0;
    fuzz_take(&in, bytes, size = in.size);
    bytes[size] = '\0';
    is_good = is_obj ? obj_check(bytes, size, &why) : gltf_check(bytes, size, &beside, &why);
    check(is_good, why.text);
    free(bytes);
    return 0;
}
