// SPDX-License-Identifier: Apache-2.0
// What a visit is made of: for visit.c and stream.c alone.

#ifndef PROOFARC_HTTP_VISIT_STATE_H
#define PROOFARC_HTTP_VISIT_STATE_H

#include "http/route.h"
#include "http/visit.h"

struct visit {
    door_t *door;
    httpd_request_t *http;
    route_t route;
    guard_headers_t headers;
    peer_t peer;
    session_t session;
    view_t view;
    char *principal;
    exchange_t *exchange;  // while it runs
    listener_t *listener;  // of a stream that was asked for with GET
    int64_t opened_ms;     // wall clock: when that began
    pair_t *pair;
    replay_t *replay;                 // what is kept of its stream
    char reader[ENDPOINT_NAME_SIZE];  // what other transports call it that may hold its stream
    int64_t seek_until_ms;            // 0: nothing is sought, or it has been found
    answer_form_t form;
    int64_t end_until_ms;  // 0: no session is being ended
    int64_t started_ms;
    int64_t spoke_ms;  // last
    bool is_judged;    // the token is good
    bool is_whole;     // the body is here
    bool is_stateless;
    bool is_stream;  // it is being answered with one
    bool is_over;    // the stream was ended
    bool has_left;   // the client; its exchange goes on, and nothing is written to it any more
    visit_t *next, *previous;
};

// False: the session that it names is not ours, has ended, or belongs to somebody else, which all
// look the same. True as well if it names none.
bool visit_find_session(visit_t *visit);

#endif
