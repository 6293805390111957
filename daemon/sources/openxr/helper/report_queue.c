/* What the OpenXR thread has to report; see report_queue.h. */
#include "report_queue.h"

#include <stdio.h>
#include <string.h>

void xr_reports_init(xr_reports *reports, xr_link *link)
{
    *reports = (xr_reports){.link = link};
}

static bool reports_push_space(xr_reports *reports)
{
    if (reports->owes_space)
        reports->owes_space = !ring_add(reports->link->ring, RING_SPACE_CHANGED, reports->space_ns);
    return !reports->owes_space;
}

static bool reports_push_lost(xr_reports *reports, int device)
{
    ring_entry *entry;

    if (reports->devices[device].wanted == reports->devices[device].reported)
        return true;
    entry = ring_add(reports->link->ring, RING_LOST, reports->devices[device].time_ns);
    if (!entry)
        return false;
    entry->as.lost.device = (uint32_t)device;
    entry->as.lost.reason = reports->devices[device].reported = reports->devices[device].wanted;
    return true;
}

static bool reports_push_runtime(xr_reports *reports)
{
    ring_entry *entry = reports->owes_runtime ? ring_add(reports->link->ring, RING_RUNTIME, 0) : NULL;

    if (!entry)
        return !reports->owes_runtime;
    entry->as.runtime = reports->runtime;
    reports->owes_runtime = false;
    return true;
}

static bool reports_push_profile(xr_reports *reports, int hand)
{
    bool *owes = &reports->devices[hand].owes_profile;
    ring_entry *entry = *owes ? ring_add(reports->link->ring, RING_CONTROLLER, 0) : NULL;

    if (!entry)
        return !*owes;
    entry->as.controller.device = (uint32_t)hand;
    memcpy(entry->as.controller.profile, reports->devices[hand].profile, sizeof entry->as.controller.profile);
    *owes = false;
    return true;
}

/* Try to send what is owed. Return whether nothing is owed any more. */
static bool reports_settle(xr_reports *reports)
{
    bool settled;

    if (!reports->owes)
        return true;
    settled = reports_push_space(reports);
    for (int device = 0; device < XR_DEVICES; device++)
        settled = reports_push_lost(reports, device) && settled;
    settled = reports_push_runtime(reports) && settled;
    for (int hand = 0; hand < XR_HANDS; hand++)
        settled = reports_push_profile(reports, hand) && settled;
    reports->owes = !settled;
    return settled;
}

void xr_reports_lost(xr_reports *reports, int device, int64_t time_ns, clash_tracking_reason reason)
{
    if (reports->devices[device].wanted == reason)
        return;
    reports->devices[device].wanted = reason;
    reports->devices[device].time_ns = time_ns;
    reports->owes = true;
    reports_settle(reports);
}

void xr_reports_lost_all(xr_reports *reports, int64_t time_ns, clash_tracking_reason reason)
{
    for (int device = 0; device < XR_DEVICES; device++)
        if (xr_device_is_wanted(&reports->link->settings, (uint32_t)device))
            xr_reports_lost(reports, device, time_ns, reason);
}

void xr_reports_space_changed(xr_reports *reports, int64_t time_ns)
{
    reports->owes_space = reports->owes = true;
    reports->space_ns = time_ns;
    reports_settle(reports);
}

void xr_reports_frame(xr_reports *reports, int64_t time_ns, const pose_sample samples[XR_DEVICES],
                      const bool active[XR_DEVICES])
{
    ring_entry *entry;

    if (!reports_settle(reports)) {
        ring_drop(reports->link->ring);
        return;
    }
    entry = ring_add(reports->link->ring, RING_FRAME, time_ns);
    if (!entry)
        return;
    for (int device = 0; device < XR_DEVICES && entry->as.frame.count < RING_SAMPLES_MAX; device++) {
        if (!active[device])
            continue;
        entry->as.frame.samples[entry->as.frame.count++] = samples[device];
        reports->devices[device].reported = reports->devices[device].wanted = CLASH_TRACKING_OK;
    }
}

void xr_reports_runtime(xr_reports *reports, bool running, const char *name, const char *detail)
{
    reports->runtime.running = running;
    if (name)
        snprintf(reports->runtime.name, sizeof reports->runtime.name, "%s", name);
    snprintf(reports->runtime.detail, sizeof reports->runtime.detail, "%s", detail);
    reports->owes_runtime = reports->owes = true;
    reports_settle(reports);
}

void xr_reports_profile(xr_reports *reports, int hand, const char *profile)
{
    char *known = reports->devices[hand].profile;

    if (strncmp(known, profile, sizeof reports->devices[hand].profile - 1) == 0)
        return;
    snprintf(known, sizeof reports->devices[hand].profile, "%s", profile);
    reports->devices[hand].owes_profile = reports->owes = true;
    reports_settle(reports);
}

void xr_reports_session(xr_reports *reports)
{
    reports->runtime.sessions++;
}

void xr_reports_send(xr_reports *reports)
{
    reports_settle(reports);
    xr_link_flush(reports->link);
}
