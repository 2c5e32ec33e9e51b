// SPDX-License-Identifier: Apache-2.0
// Every limit of the product in one place. Sizes are bytes, _MS are milliseconds.

#ifndef PROOFARC_LIMITS_H
#define PROOFARC_LIMITS_H

// GCC's own <limits.h> may reach this file when it looks for the next one of that name. Clang's
// does not, and Clang warns about the directive.
#ifndef __clang__
#include_next <limits.h>
#endif

#define KIB (1024)
#define MIB (1024 * 1024)

enum {
    // What a client may send.
    INPUT_MAX = 4 * MIB,            // one line of stdio, one HTTP body
    REQUEST_ID_MAX = KIB,           // JSON-RPC id, as text
    JSON_DEPTH_MAX = 64,            // nesting of arrays and objects
    INPUT_VALUES_MAX = 100 * 1000,  // values in one line or body, some 10 MiB as a tree
    TOKEN_MAX = 8 * KIB,            // bearer token
    HEADER_MEMORY = 16 * KIB,       // all headers of one HTTP request, twice a token

    // What we send.
    RESULT_MAX = 900 * KIB,  // a tool's answer as the client receives it
    STUB_OVER = 8 * KIB,     // legacy fields above this become stubs
    CANDIDATES_MAX = 25,     // of one narrowing
    NAME_SHOWN_MAX = 120,    // code points of a name in a question

    // Calls.
    CALLS_PER_PRINCIPAL = 256,     // under way
    WAITING_PER_PRINCIPAL = 1024,  // queued
    WAITING_PER_LANE = 1024,       // queued for one category
    WAITS_MAX = 256,               // of one worker that wait for a run
    QUICK_PER_WORKER = 64,         // answered from memory, that a worker has at once
    BROKER_BODIES_MAX = 64 * MIB,  // of all queued calls of a broker
    MESSAGE_MAX = 5 * MIB,         // between our processes
    CALL_MS = 45 * 1000,           // budget of a call
    QUEUE_CALL_MS = 10 * 1000,     // budget of a tool that queues
    WAIT_CALL_MS = 50 * 1000,      // budget of a tool called with wait
    REPEAT_WINDOW_MS = 60 * 1000,  // an equal write while the first one's outcome is unknown

    // Liveness.
    BEAT_MS = 1000,            // between two beats
    SILENT_MS = 3000,          // after this a peer is gone
    CATALOGUE_MS = 10 * 1000,  // how long tools/list waits for the categories
    DRAIN_MS = 5000,           // after SIGTERM
    PARTING_MS = 250,          // between the last answer and the end of who gave it

    // Sessions and snapshots.
    SESSION_MS = 24 * 60 * 60 * 1000,     // life of a session id
    SESSIONS_MAX = 100 * 1000,            // records of a transport
    VERDICT_MS = 60 * 1000,               // how long a token's verdict is cached
    PRINCIPAL_SCOPE_MS = 30 * 60 * 1000,  // snapshots of a caller without a session, sliding
    SNAPSHOT_FRESH_MS = 60 * 1000,        // a not_found from an older one is checked once
    SNAPSHOTS_PER_PRINCIPAL = 16 * MIB,
    SNAPSHOTS_MAX = 256 * MIB,
    SNAPSHOT_BODY_MAX = 32 * MIB,  // the JSON that one snapshot is made of
    FETCH_HOLD_MS = 1000,          // a failed fetch is not tried again before
    RESOLVES_MAX = 4096,           // that wait in one resolver
    RESOLVE_BODY_MAX = 64 * KIB,   // the names of one call
    FORGET_MS = 200,               // how long a write waits for FORGOTTEN

    // Platform.
    REST_BODY_MAX = 4 * MIB,
    PAGE_MAX = MIB,           // after this a page of a list ends
    DOCUMENT_MAX = 32 * MIB,  // one OpenAPI document, as an agent hands it in
    DOCUMENTS_MAX = 64,       // files of one OpenAPI description
    YAML_MAX = 256 * KIB,     // a scenario
    YAML_DEPTH_MAX = 32,
    STEPS_MAX = 1000,  // of a scenario
    IDEMPOTENCY_MS = 24 * 60 * 60 * 1000,
    TOKEN_DAYS = 30,
    LONG_POLL_MS = 30 * 1000,  // longest wait of a REST call

    // Agents.
    LEASE_MS = 15 * 1000,  // of a job; renewed by heartbeats
    HEARTBEAT_MS = 3 * 1000,
    JOB_ATTEMPTS = 2,
    RESPONSE_MAX = 5 * MIB,    // body of the system under test that is looked at
    BODY_KEPT_MAX = 64 * KIB,  // of it in the stored execution
    REDIRECTS_MAX = 10,
    STEP_MS = 30 * 1000,  // one request of a scenario
    JSONPATH_NODES_MAX = 1000 * 1000,

    // The local stack.
    STACK_LOG_MAX = 8 * MIB,  // of stack.log before it starts anew
};

#endif
