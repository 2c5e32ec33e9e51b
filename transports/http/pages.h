// SPDX-License-Identifier: Apache-2.0
// What machines read beside /mcp: is it up, is it ready, how much does it do.

#ifndef PROOFARC_HTTP_PAGES_H
#define PROOFARC_HTTP_PAGES_H

#include "mcp/service.h"

// 200 when a broker lives and all categories have checked in, else 503; the reason as text.
int pages_ready(const service_t *service, const char **reason_p);

// Counters in the text format of Prometheus.
void pages_metrics(buffer_t *out, const service_t *service, size_t open_requests);

#endif
