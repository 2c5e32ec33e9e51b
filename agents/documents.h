// SPDX-License-Identifier: Apache-2.0
// Fetches the documents of an API description: the agent is the one process that reaches the
// system under test, so it is the one that asks for them.

#ifndef PROOFARC_DOCUMENTS_H
#define PROOFARC_DOCUMENTS_H

#include "job.h"
#include "limits.h"

// The texts of all documents together, as JSON: the result has to fit what the platform takes.
enum { DOCUMENTS_SIZE_MAX = DOCUMENT_MAX - 256 * KIB };

// Runs the `fetch_documents` payload of a job. Returns {documents: [{url, finalUrl, status,
// contentType, text, error}]} in the job's arena. With `firstOnly` it ends at the first document
// that describes an API, and only that one has a text.
json_t *documents_run(job_t *job);

#endif
