/* What the OpenXR thread has to tell: see report_queue.h. */
#include "report_queue.h"

#include <stdio.h>
#include <string.h>

void xr_news_init(xr_news *news, xr_link *link)
{
    *news = (xr_news){.link = link};
}

static bool news_push(xr_news *news, const ring_record *record)
{
    return ring_push(news->link->ring, record);
}

static bool news_push_space(xr_news *news)
{
    const ring_record record = {.kind = RING_SPACE_CHANGED, .time_ns = news->space_ns};

    if (news->owes_space)
        news->owes_space = !news_push(news, &record);
    return !news->owes_space;
}

static bool news_push_lost(xr_news *news, int hand)
{
    ring_record record = {.kind = RING_LOST, .time_ns = news->hands[hand].time_ns};

    if (news->hands[hand].wanted == news->hands[hand].told)
        return true;
    record.as.lost.device = (uint32_t)hand;
    record.as.lost.reason = news->hands[hand].wanted;
    if (!news_push(news, &record))
        return false;
    news->hands[hand].told = news->hands[hand].wanted;
    return true;
}

static bool news_push_runtime(xr_news *news)
{
    const ring_record record = {.kind = RING_RUNTIME, .as.runtime = news->runtime};

    if (news->owes_runtime)
        news->owes_runtime = !news_push(news, &record);
    return !news->owes_runtime;
}

static bool news_push_profile(xr_news *news, int hand)
{
    ring_record record = {.kind = RING_CONTROLLER, .as.controller.device = (uint32_t)hand};

    if (!news->hands[hand].owes_profile)
        return true;
    memcpy(record.as.controller.profile, news->hands[hand].profile, sizeof record.as.controller.profile);
    news->hands[hand].owes_profile = !news_push(news, &record);
    return !news->hands[hand].owes_profile;
}

/* Whether nothing is owed any more. */
static bool news_settle(xr_news *news)
{
    bool settled = news_push_space(news);

    for (int hand = 0; hand < XR_HANDS; hand++)
        settled = news_push_lost(news, hand) && settled;
    settled = news_push_runtime(news) && settled;
    for (int hand = 0; hand < XR_HANDS; hand++)
        settled = news_push_profile(news, hand) && settled;
    return settled;
}

void xr_news_lost(xr_news *news, int hand, int64_t time_ns, clash_tracking_reason reason)
{
    if (news->hands[hand].wanted == reason)
        return;
    news->hands[hand].wanted = reason;
    news->hands[hand].time_ns = time_ns;
    news_settle(news);
}

void xr_news_lost_both(xr_news *news, int64_t time_ns, clash_tracking_reason reason)
{
    for (int hand = 0; hand < XR_HANDS; hand++)
        xr_news_lost(news, hand, time_ns, reason);
}

void xr_news_space_changed(xr_news *news, int64_t time_ns)
{
    news->owes_space = true;
    news->space_ns = time_ns;
    news_settle(news);
}

void xr_news_frame(xr_news *news, int64_t time_ns, const pose_sample *samples, const int *hands, uint32_t count)
{
    ring_record record = {.kind = RING_FRAME, .time_ns = time_ns};

    if (!news_settle(news)) {
        ring_drop(news->link->ring);
        return;
    }
    for (uint32_t i = 0; i < count && i < RING_SAMPLES_MAX; i++)
        record.as.frame.samples[record.as.frame.count++] = samples[i];
    if (!news_push(news, &record))
        return;
    for (uint32_t i = 0; i < count; i++)
        news->hands[hands[i]].told = news->hands[hands[i]].wanted = CLASH_TRACKING_OK;
}

void xr_news_runtime(xr_news *news, bool running, const char *name, const char *detail)
{
    news->runtime.running = running;
    if (name)
        snprintf(news->runtime.name, sizeof news->runtime.name, "%s", name);
    snprintf(news->runtime.detail, sizeof news->runtime.detail, "%s", detail);
    news->owes_runtime = true;
    news_settle(news);
}

void xr_news_profile(xr_news *news, int hand, const char *profile)
{
    char *known = news->hands[hand].profile;

    if (strncmp(known, profile, sizeof news->hands[hand].profile - 1) == 0)
        return;
    snprintf(known, sizeof news->hands[hand].profile, "%s", profile);
    news->hands[hand].owes_profile = true;
    news_settle(news);
}

void xr_news_session(xr_news *news)
{
    news->runtime.sessions++;
}

void xr_news_send(xr_news *news)
{
    news_settle(news);
    xr_link_flush(news->link);
}
