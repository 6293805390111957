/* schema_compiler OUT ROOT FILE..: runs when clashd is built, and writes the schemas of these files as C. */
#include "compile.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMAS_MAX 64
#define TEXT_MAX (1 << 20)

typedef struct schema_file {
    const char *path;
    char name[64]; /* below the folder of all of them, without .schema.json */
    cJSON *text;
} schema_file;

static bool read_schema(const char *root, const char *path, schema_file *out)
{
    static char text[TEXT_MAX];
    FILE *file = fopen(path, "rb");
    size_t length = file ? fread(text, 1, sizeof text, file) : 0;

    if (file)
        fclose(file);
    out->path = path;
    snprintf(out->name, sizeof out->name, "%s", path + strlen(root) + 1);
    *strstr(out->name, ".schema.json") = '\0';
    out->text = cJSON_ParseWithLength(text, length);
    if (!out->text)
        fprintf(stderr, "%s: cannot be read, or is no JSON\n", path);
    return out->text != NULL;
}

/** Both parts of what was compiled, and the table of the schemas by name. */
static bool write_tables(const char *path, const char *arrays, const char *nodes, const schema_file *files,
                         const size_t *at, size_t count)
{
    FILE *out = fopen(path, "w");

    if (!out)
        return false;
    fprintf(out, "/* Made from protocol/schema by schema_compiler. */\n#include \"protocol/schema_check/node.h\"\n\n"
                 "#include <math.h>\n\n");
    fprintf(out, "%s\nconst protocol_schema schema_nodes[] = {\n%s};\n\nconst schema_row schema_table[] = {\n", arrays,
            nodes);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "    {\"%s\", schema_nodes + %zu},\n", files[i].name, at[i]);
    fprintf(out, "    {0, 0}};\n");
    return fclose(out) == 0;
}

static bool compile_all(const char *path, schema_file *files, size_t count)
{
    static schema_compilation c;
    char *arrays, *nodes;
    size_t arrays_size, nodes_size, at[SCHEMAS_MAX];
    bool is_written;

    c.arrays = open_memstream(&arrays, &arrays_size);
    c.nodes = open_memstream(&nodes, &nodes_size);
    for (size_t i = 0; i < count; i++)
        if (strcmp(files[i].name, "common") == 0)
            c.common = files[i].text;
    for (size_t i = 0; i < count; i++)
        schema_spread(&c, files[i].text);
    for (size_t i = 0; i < count; i++) {
        at[i] = schema_compile(&c, files[i].text);
        if (c.unknown) {
            fprintf(stderr, "%s: \"%s\" is not understood here, or not in this form\n", files[i].path, c.unknown);
            return false;
        }
    }
    fclose(c.arrays);
    fclose(c.nodes);
    is_written = write_tables(path, arrays, nodes, files, at, count);
    free(arrays);
    free(nodes);
    return is_written;
}

int main(int argc, char **argv)
{
    static schema_file files[SCHEMAS_MAX];
    size_t count = 0;

    if (argc < 4 || argc - 3 > SCHEMAS_MAX) {
        fprintf(stderr, "usage: schema_compiler OUT ROOT FILE..   1 to %d files below ROOT\n", SCHEMAS_MAX);
        return 2;
    }
    for (int i = 3; i < argc; i++)
        if (!read_schema(argv[2], argv[i], &files[count++]))
            return 1;
    if (!compile_all(argv[1], files, count))
        return 1;
    while (count > 0)
        cJSON_Delete(files[--count].text);
    return 0;
}
