/* When each fault is in force. None is before the first session begins: time starts with it. */
#include "runtime/faults.h"

int64_t faults_time(const faults *f, const fault *item)
{
    return f->epoch_ns + item->at_ns;
}

bool faults_begins(const faults *f, const fault *item, int64_t now_ns)
{
    return f->epoch_ns != 0 && item->timed && now_ns >= faults_time(f, item);
}

bool faults_is_over(const faults *f, const fault *item, int64_t now_ns)
{
    return f->epoch_ns != 0 && item->timed && now_ns - faults_time(f, item) >= item->duration_ns;
}

bool faults_crash_in(const faults *f, fault_call call)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->list[i].kind == FAULT_CRASH && f->list[i].call == call)
            return true;
    return false;
}

const fault *faults_holding(const faults *f, fault_kind kind, uint32_t hands, int64_t now_ns)
{
    for (size_t i = 0; i < f->count; i++) {
        const fault *item = &f->list[i];
        if (item->kind == kind && (item->hands & hands) && faults_begins(f, item, now_ns) &&
            !faults_is_over(f, item, now_ns))
            return item;
    }
    return NULL;
}
