// SPDX-License-Identifier: Apache-2.0
// Fetches the documents of an API description: the agent is the one process that reaches the
// system under test, so it is the one that asks for them.

#ifndef PROOFARC_DOCUMENTS_H
#define PROOFARC_DOCUMENTS_H

#include "job.h"

// Runs the `fetch_documents` payload of a job. Returns {documents: [{url, finalUrl, status,
// contentType, text, error}]} in the job's arena.
json_t *documents_run(job_t *job);

#endif
