// SPDX-License-Identifier: Apache-2.0
// JSON-RPC 2.0: bytes become messages, strictly. Nothing of MCP is known here.

#ifndef PROOFARC_MCP_JSONRPC_H
#define PROOFARC_MCP_JSONRPC_H

#include "json.h"

enum {
    RPC_PARSE = -32700,    // not JSON
    RPC_INVALID = -32600,  // JSON, but no request
    RPC_METHOD = -32601,   // there is no such method
    RPC_PARAMS = -32602,   // the parameters are wrong
    RPC_INTERNAL = -32603,
    RPC_NOT_FOUND = -32002,   // a resource, up to protocol 2025-11-25
    RPC_REFUSED = -32000,     // HTTP refused the request before it was looked at
    RPC_SESSION = -32001,     // there is no such session
    RPC_HEADER = -32020,      // the headers say other things than the body
    RPC_CAPABILITY = -32021,  // the client did not declare what is needed
    RPC_VERSION = -32022,     // the request claims a protocol version that is not served
};

enum { BATCH_MAX = 100 };  // messages of one array

typedef enum { RPC_REQUEST, RPC_NOTIFICATION, RPC_RESPONSE, RPC_BROKEN } rpc_kind_t;

typedef struct {
    rpc_kind_t kind;
    const json_t *id;     // string or integer of a request; also of a broken one if readable
    const char *id_text;  // its token as it stood in the source, or "null"
    size_t id_size;
    const char *method;    // NUL-terminated; NULL unless request or notification
    const json_t *params;  // an object, or NULL for none
    const json_t *body;    // the message itself; NULL if it is no object
    int code;              // RPC_BROKEN: why, to be answered
    const char *text;
} rpc_message_t;

typedef struct {
    rpc_message_t *messages;  // in the arena
    size_t count;             // at least 1
    bool is_batch;
} rpc_packet_t;

// Reads a line or a body. Never fails: what is wrong becomes a message of kind RPC_BROKEN that
// says what to answer. Raw tokens point into `bytes`, everything else lives in `arena`. An
// array is taken only `with_batches`.
void jsonrpc_read(arena_t *arena, const char *bytes, size_t size, bool with_batches,
                  rpc_packet_t *packet);

// True if both are the same id: same type, same value.
bool jsonrpc_same_id(const json_t *a, const json_t *b);

// Appends {"jsonrpc":"2.0","id":ID,"error":{…}}, without id if its size is 0: newer versions have no
// null there. `data` is JSON or NULL.
void jsonrpc_write_error(buffer_t *out, const char *id, size_t id_size, int code,
                         const char *text, const char *data);

#endif
