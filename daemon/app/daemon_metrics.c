/* The daemon's page for Prometheus: what `status` says, in another form. See daemon_private.h. */
#include "daemon_private.h"

#include "metrics/metrics.h"

void daemon_make_metrics(void *context, entrance_page *out_page)
{
    app_daemon *d = context;
    protocol_status status;

    daemon_describe_status(d, &status);
    status.clients = socket_sink_clients(d->socket);
    out_page->content_type = METRICS_CONTENT_TYPE;
    out_page->bytes = metrics_format(&status, &d->counters, &out_page->length);
}
