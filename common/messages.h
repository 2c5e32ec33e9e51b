// SPDX-License-Identifier: Apache-2.0
// Every message one process may send another. Each list becomes a struct (call_msg_t), a wire
// table (call_wire) and a type letter (MSG_call); wire.c packs and unpacks all of them. Fields
// travel in this order: append, never reorder.

#ifndef PROOFARC_MESSAGES_H
#define PROOFARC_MESSAGES_H

#include "wire.h"

// clang-format off

// worker → broker, first of all and again whenever something in it changes
#define READY(F, T)                                                                              \
    F(T, i64, protocol,     "WIRE_PROTOCOL of the sender")                                       \
    F(T, str, instance,     "Random name of this process, 32 hex digits; new at every start")    \
    F(T, str, host,         "Name that stays the same over restarts: a new instance ends the old") \
    F(T, i64, credit,       "Calls it takes at once from this broker")                           \
    F(T, bin, entries,      "catalogue_pack(): what it offers")                                  \
    F(T, str, version,      "Of the program")

// transport → broker, first of all; broker → peer it does not know: "say READY or HELLO"
#define HELLO(F, T)                                                                              \
    F(T, i64, protocol,     "WIRE_PROTOCOL of the sender")                                       \
    F(T, str, instance,     "Random name of this process")                                       \
    F(T, str, version,      "Of the program")

// one thing that a category offers; packed back to back inside READY and CATALOGUE
#define ENTRY(F, T)                                                                              \
    F(T, str, kind,         "tool, resource, template or prompt")                                \
    F(T, str, category,     "explore, act …")                                                    \
    F(T, str, name,         "Name, or URI (template)")                                           \
    F(T, str, json,         "The finished entry of the list, for the newest protocol version")   \
    F(T, str, effect,       "reads, writes, executes or deletes")                                \
    F(T, i64, budget_ms,    "Longest time a call may take")                                      \
    F(T, str, profile,      "Smallest profile that shows it: core, standard, wide, full")        \
    F(T, i64, quick,        "1 if its calls are answered from memory and take no slot")

// broker → transport, whenever it changes
#define CATALOGUE(F, T)                                                                          \
    F(T, i64, version,      "Grows with every change")                                           \
    F(T, i64, complete,     "1 once every expected category has checked in")                     \
    F(T, bin, entries,      "catalogue_pack() of all categories, in a fixed order")

// transport → broker → worker; body: the arguments as the JSON bytes they arrived in
#define CALL(F, T)                                                                               \
    F(T, str, id,           "Chosen by the transport, 32 hex digits, repeated in the answer")    \
    F(T, str, kind,         "tool, resource, prompt, complete or task")                          \
    F(T, str, name,         "Of the tool or prompt, URI, or id of the task")                     \
    F(T, str, profile,      "Profile in force")                                                  \
    F(T, str, session,      "MCP session, \"\" without one; the resolver keeps snapshots by it") \
    F(T, str, principal,    "Who calls: issuer|subject|role")                                    \
    F(T, str, token,        "Bearer token for the platform")                                     \
    F(T, i64, left_ms,      "How long the caller still waits; every hop subtracts its own")      \
    F(T, i64, progress,     "1 if progress is wanted")                                           \
    F(T, str, log_level,    "Least level of log messages wanted, \"\" for none")                 \
    F(T, str, trace,        "W3C traceparent, or \"\"")                                          \
    F(T, str, key,          "Idempotency key; the n-th write of the call carries key-n")         \
    F(T, i64, key_given,    "1 if the key is the client's own: repeating is safe by its word")   \
    F(T, str, capabilities, "Of the client, JSON")                                               \
    F(T, str, inputs,       "Answers to what was asked: {responses, state}; \"\" the first time")

// worker → broker → transport
#define PROGRESS(F, T)                                                                           \
    F(T, str, id,           "The id of the call")                                                \
    F(T, i64, done,         "Units done, growing")                                               \
    F(T, i64, total,        "Units in all, 0 if unknown")                                        \
    F(T, str, text,         "For a person")

#define LOG(F, T)                                                                                \
    F(T, str, id,           "The id of the call")                                                \
    F(T, str, level,        "debug … emergency")                                                 \
    F(T, str, text,         "For a person")

// worker → broker → transport; body: the structured result, or {"error": …}; of a tool that
// gives blocks alone it is empty. docs/architecture.md tells the body of each kind of call.
#define ANSWER(F, T)                                                                             \
    F(T, str, id,           "The id of the call")                                                \
    F(T, i64, status,       "status_t")                                                          \
    F(T, i64, outcome,      "outcome_t")                                                         \
    F(T, str, asked,        "The parameter a narrowing is about, else empty")                    \
    F(T, str, content,      "JSON array of extra content blocks, or \"\"")                       \
    F(T, str, mime,         "Of a resource's body, or \"\" for JSON")                            \
    F(T, i64, is_base64,    "1 if a resource's body is base64 of its bytes")

// worker → broker → all transports: clients that look at it should look again
#define CHANGED(F, T)                                                                            \
    F(T, str, kind,         "tools, prompts or resources: the list; resource: one of them")      \
    F(T, str, uri,          "Of the resource, else empty")

// transport → broker → worker
#define CANCEL(F, T)                                                                             \
    F(T, str, id,           "The id of the call")

// all pairs with the broker, every BEAT_MS, busy or not
#define BEAT(F, T)                                                                               \
    F(T, str, instance,     "Of the sender")                                                     \
    F(T, i64, credit,       "Worker: calls it takes at once from this broker")                   \
    F(T, i64, keeps_keys,   "Worker: 1 if the platform says that it remembers idempotency keys") \
    F(T, str, counters,     "JSON object of numbers, for /metrics")

#define BYE(F, T)                                                                                \
    F(T, str, instance,     "Of the sender, which takes nothing new and finishes what it has")

// transport → broker → all transports, the sender too: then it is on its way to all others
#define ENDED(F, T)                                                                              \
    F(T, str, session,      "A session that is over, for the life of its token")

// transport → broker → all other transports: what a client has said here and any of them may need to
// know. Behind a proxy its next message, or the request that waits for this one, may be there.
#define SAID(F, T)                                                                               \
    F(T, str, session,      "As in CALL")                                                        \
    F(T, str, principal,    "As in CALL")                                                        \
    F(T, str, text,         "The JSON-RPC message")

// transport → broker → all other transports: the client reads here now. Whoever holds the stream of
// changes of its session ends it; whoever holds the stream of which it has lost the rest sends that
// as PIECEs.
#define SEEK(F, T)                                                                               \
    F(T, str, session,      "As in CALL")                                                        \
    F(T, str, id,           "Of the last event that it has; \"\": it wants the stream of changes") \
    F(T, str, reader,       "Chosen by the sender, repeated in each PIECE")                      \
    F(T, i64, opened_ms,    "Wall clock: streams of changes that are older end")

// transport → broker → all other transports
#define PIECE(F, T)                                                                              \
    F(T, str, reader,       "As in SEEK")                                                        \
    F(T, str, id,           "Of this event; \"\": there will be no more")                        \
    F(T, str, text,         "The JSON-RPC message; \"\" for an event that is empty")

// worker → resolver → worker; body of RESOLVE and RESOLVED: docs/architecture.md, Resolver
#define RESOLVE(F, T)                                                                            \
    F(T, str, id,           "Chosen by the worker, repeated in the answer")                      \
    F(T, str, session,      "As in CALL")                                                        \
    F(T, str, principal,    "As in CALL")                                                        \
    F(T, str, token,        "As in CALL, to fetch snapshots with")                               \
    F(T, i64, left_ms,      "How long the worker waits")

#define RESOLVED(F, T)                                                                           \
    F(T, str, id,           "As in RESOLVE")                                                     \
    F(T, i64, status,       "OK, NARROWED, or why it failed")                                    \
    F(T, str, code,         "Of a failure")                                                      \
    F(T, str, text,         "Of a failure")

// worker → resolver → worker; body: the entity that was written
#define FORGET(F, T)                                                                             \
    F(T, str, id,           "As in RESOLVE")                                                     \
    F(T, str, principal,    "Whose snapshots are patched")                                       \
    F(T, str, kind,         "project, environment, scenario, ui_test, suite, pipeline, application, target") \
    F(T, i64, removed,      "1 if it is gone")

#define FORGOTTEN(F, T)                                                                          \
    F(T, str, id,           "As in FORGET")

#define MESSAGES(M)                                                                              \
    M(ready, 'R', READY) M(hello, 'H', HELLO) M(entry, 'N', ENTRY) M(catalogue, 'G', CATALOGUE)  \
    M(call, 'C', CALL) M(progress, 'P', PROGRESS) M(log, 'L', LOG) M(answer, 'A', ANSWER)        \
    M(changed, 'Q', CHANGED) M(cancel, 'X', CANCEL) M(beat, 'B', BEAT) M(bye, 'E', BYE)          \
    M(ended, 'D', ENDED) M(said, 'Y', SAID) M(seek, 'K', SEEK) M(piece, 'U', PIECE)              \
    M(resolve, 'S', RESOLVE) M(resolved, 'T', RESOLVED)                                          \
    M(forget, 'F', FORGET) M(forgotten, 'O', FORGOTTEN)
// clang-format on

MESSAGES(WIRE_DECLARE)

#endif
