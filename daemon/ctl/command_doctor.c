/* clashctl doctor: check everything that must work before clashes come, from the OpenXR runtime to the poses that
 * arrive, and say for each thing that is wrong what to do. */
#include "cli/output.h"
#include "ctl.h"
#include "doctor.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define COMMAND "doctor"

typedef struct options {
    doctor doctor;
    bool help;
} options;

static const flag flags[] = {
    TALK_FLAGS(options, doctor.place),
    FLAG_NUMBER("timeout", "S", options, doctor.timeout_s, 1, 120,
                "how long the runtime may take to answer; default: 15"),
    FLAG_NUMBER("seconds", "S", options, doctor.look_s, 0.1, 600, "how long to look at poses; default: 2"),
    FLAG_SWITCH("json", options, doctor.is_json, "print all of it as an object of JSON"),
    FLAG_HELP(options),
};

/* ---- what the parts say ---- */

void doctor_print(const doctor *d, const char *area, const char *format, ...)
{
    static const char *before;
    char text[2048];
    va_list arguments;

    if (d->is_json)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    printf("%-9s %s\n", before && strcmp(before, area) == 0 ? "" : area, output_text(text));
    fflush(stdout);
    before = area;
}

static void add(cJSON *list, const char *code, const char *text, const char *what_to_do)
{
    cJSON *entry = cJSON_CreateObject();

    cJSON_AddStringToObject(entry, "code", code);
    cJSON_AddStringToObject(entry, "text", text);
    cJSON_AddStringToObject(entry, "do", what_to_do);
    cJSON_AddItemToArray(list, entry);
}

void doctor_wrong(doctor *d, const char *code, const char *what_to_do, const char *format, ...)
{
    char text[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add(d->wrong, code, text, what_to_do);
}

void doctor_note(doctor *d, const char *code, const char *what_to_do, const char *text)
{
    add(d->notes, code, text, what_to_do);
}

cJSON *doctor_area(const doctor *d, const char *name)
{
    cJSON *area = cJSON_GetObjectItemCaseSensitive(d->report, name);

    return area ? area : cJSON_AddObjectToObject(d->report, name);
}

/* ---- the clock ---- */

/* On Linux only; elsewhere it is not known. */
static void read_clock_source(char *out, int size)
{
    FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");

    out[0] = '\0';
    if (file && fgets(out, size, file))
        out[strcspn(out, "\n")] = '\0';
    if (file)
        fclose(file);
}

static void look_at_clock(doctor *d)
{
    struct timespec step = {0};
    char source[64];

    clock_getres(CLOCK_MONOTONIC, &step);
    read_clock_source(source, sizeof source);
    cJSON_AddNumberToObject(doctor_area(d, "clock"), "resolution_ns", (double)step.tv_nsec + 1e9 * (double)step.tv_sec);
    cJSON_AddStringToObject(doctor_area(d, "clock"), "source", source);
    doctor_print(d, "clock", "CLOCK_MONOTONIC in steps of %ld ns%s%s", step.tv_nsec, source[0] ? ", by " : "", source);
    if (step.tv_sec > 0 || step.tv_nsec > 1000000)
        doctor_wrong(d, "coarse_clock", "Start the system with a clock source that is finer (tsc, hpet).",
                     "the clock has steps of %ld ms", step.tv_nsec / 1000000 + 1000 * (long)step.tv_sec);
}

/* ---- all of it ---- */

static void print_list(const char *title, const cJSON *list)
{
    const cJSON *entry;

    cJSON_ArrayForEach(entry, list)
    {
        printf("\n%s: %s.\n  %s\n", title,
               output_text(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(entry, "text"))),
               output_text(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(entry, "do"))));
    }
}

static void print_report(const doctor *d)
{
    char *text;

    if (!d->is_json) {
        print_list("WRONG", d->wrong);
        print_list("note", d->notes);
        if (cJSON_GetArraySize(d->wrong) == 0)
            printf("\nNothing is wrong.\n");
        return;
    }
    text = cJSON_Print(d->report);
    if (text)
        output_write(text, strlen(text));
    output_write("\n", 1);
    cJSON_free(text);
}

static int examine(doctor *d)
{
    int code;

    d->report = cJSON_CreateObject();
    d->wrong = cJSON_CreateArray();
    d->notes = cJSON_CreateArray();
    output_begin(false);
    doctor_look_at_runtime(d);
    d->runtime_wrong = cJSON_GetArraySize(d->wrong);
    doctor_look_at_layer(d);
    doctor_look_at_clashd(d);
    for (int i = 0; d->has_other_source && i < d->runtime_wrong; i++)
        cJSON_AddItemToArray(d->notes, cJSON_DetachItemFromArray(d->wrong, 0));
    look_at_clock(d);
    code = cJSON_GetArraySize(d->wrong) > 0 ? CTL_NO : CTL_DONE;
    cJSON_AddItemToObject(d->report, "wrong", d->wrong);
    cJSON_AddItemToObject(d->report, "notes", d->notes);
    print_report(d);
    cJSON_Delete(d->report);
    return output_end(COMMAND, code);
}

static int run(void *target, char **words)
{
    (void)words;
    return examine(&((options *)target)->doctor);
}

const ctl_command ctl_doctor = {
    .name = COMMAND,
    .summary = "check everything from the OpenXR runtime to the poses",
    .arguments = "[OPTION..]",
    .text = "Looks at the OpenXR runtime, the layer in games, clashd, and the poses that\n"
            "arrive, and says for each thing that is wrong what to do. Exit status 1 if\n"
            "anything is.\n",
    .table = CTL_FLAGS(flags),
    .size = sizeof(options),
    .defaults = &(options){.doctor = {.timeout_s = 15.0, .look_s = 2.0}},
    .run = run,
};
