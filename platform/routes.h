// SPDX-License-Identifier: Apache-2.0
// The REST interface as rows. Dispatch, the check of body and query, roles and the OpenAPI
// document all come from them; docs/rest.md is the same for people.

#ifndef PROOFARC_PLATFORM_ROUTES_H
#define PROOFARC_PLATFORM_ROUTES_H

#include "exchange.h"

// What a member of a body or an argument of a query holds.
typedef enum {
    M_NAME = 1,  // text, trimmed, 1 to 200 code points, no control characters
    M_TEXT,
    M_SECRET,  // text that never comes back
    M_INT,
    M_ID,  // a positive integer; digits in a string are taken as well
    M_FLAG,
    M_OBJECT,
    M_TEXTS,    // list of texts; one text with commas is taken as well
    M_IDS,      // list of positive integers
    M_OBJECTS,  // list of objects, described by `members` when those are known
    M_ANY,
} member_kind_t;

enum { NAME_MAX_POINTS = 200, TEXT_MAX_DEFAULT = 16 * 1024, MEMBER_DEPTH_MAX = 24 };

typedef struct member member_t;
struct member {
    const char *name;
    member_kind_t kind;
    bool must;
    const char *about;
    const char *example;  // JSON
    const char *one_of;   // "PUBLIC|AUTHENTICATED", of a text or of each in a list
    int64_t min, max;     // M_INT: bounds; M_TEXT: most bytes; lists: least and most entries;
    // M_OBJECT, M_ANY: deepest nesting
    const member_t *members;  // of M_OBJECTS and M_OBJECT; ended by a row without a name
};

enum { BODY_MEMBERS_MAX = 14, QUERY_MEMBERS_MAX = 9 };

typedef status_t route_fn(exchange_t *x);

struct route {
    const char *method;
    const char *path;  // "/api/projects/{projectId}"; …Id is digits, but jobId is any text
    role_t least;
    const char *id;  // operationId
    const char *summary;
    const char *answer;  // what a 2xx answer holds
    int code;            // of it; 0: 200
    int other_code;      // a second 2xx it may have, or 0
    route_fn *run;       // inside a transaction: a write one if the method is no GET
    route_fn *prepare;   // of a write, before it, for work that takes long; or NULL
    bool is_list;        // ETag and 304
    bool is_quick;       // a GET whose answer is small as a rule: the loop tries it
    bool takes_nul;      // texts of the body may hold U+0000
    bool is_loose;       // no write transaction and no stored key, though no GET
    const char *media;   // of the answer, NULL: application/json
    int64_t body_max;    // bytes, 0: REST_BODY_MAX
    member_t body[BODY_MEMBERS_MAX];
    member_t query[QUERY_MEMBERS_MAX];
};

// One table for each file of routes/; each ends with a row without a method.
extern const route_t open_routes[], user_routes[], project_routes[], onboarding_routes[],
    application_routes[], environment_routes[], credential_routes[], target_routes[],
    record_routes[], tag_routes[], scenario_routes[], execution_routes[], spec_routes[],
    agent_routes[], report_routes[];

// All of them, NULL-ended.
extern const route_t *const route_tables[];

// Answers the request in `x`, whose `store` is open. Always leaves code and out, or park_ms.
void routes_dispatch(exchange_t *x);

// The row for a request, or NULL.
const route_t *routes_find(const char *method, const char *path);

// Largest body that method and path may have.
size_t routes_body_max(const char *method, const char *path);

// Arguments every list has.
// clang-format off
#define PAGE_ARGUMENTS                                                                          \
    { "limit",  M_INT,  .about = "Most entries of the answer, 100 when absent.",                \
      .example = "100", .min = 1, .max = 500 },                                                 \
    { "cursor", M_TEXT, .about = "nextCursor of the page before.", .max = 64 }
// clang-format on

#endif
