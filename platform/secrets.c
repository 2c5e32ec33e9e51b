// SPDX-License-Identifier: Apache-2.0
#include "secrets.h"

#include <inttypes.h>
#include <string.h>

#include "auto.h"
#include "mask.h"
#include "store/credentials.h"

static const char *
place_of(arena_t *arena, int64_t id)
{
    return arena_printf(arena, "credential/%" PRId64, id);
}

void
secrets_seal(exchange_t *x, int64_t id, const json_t *secrets)
{
    const char *plain = json_text(x->arena, secrets);
    size_t size;
    void *sealed = vault_seal(&x->platform->vault, x->arena, place_of(x->arena, id), plain,
                              strlen(plain), &size);

    credentials_seal(x->store, id, sealed, size);
}

// Adds what the sealed bytes hold to a copy of the credential.
static json_t *
opened(exchange_t *x, const json_t *credential, const void *sealed, size_t size)
{
    json_t *whole = json_copy(x->arena, credential);
    char *plain;

    if (vault_unseal(&x->platform->vault, x->arena,
                     place_of(x->arena, json_get_int(credential, "id", 0)), sealed, size,
                     &plain, &x->why))
        return NULL;
    const json_t *secrets = json_parse_text(x->arena, plain);
    for (const json_t *one = secrets ? secrets->first : NULL; one; one = one->next)
        json_set(x->arena, whole, one->key, json_copy(x->arena, one));
    return whole;
}

typedef struct {
    exchange_t *x;
    json_t *credential;
} opening_t;

static void
open_one(const json_t *credential, const void *sealed, size_t size, void *arg)
{
    opening_t *opening = arg;

    opening->credential = opened(opening->x, credential, sealed, size);
}

json_t *
secrets_open(exchange_t *x, int64_t id)
{
    opening_t opening = { .x = x };

    credentials_sealed(x->store, x->arena, id, open_one, &opening);
    return opening.credential;
}

bool
secrets_are_readable(const platform_t *platform, store_t *store)
{
    AUTO(exchange_destroy) exchange_t *x = exchange_new(platform);
    int64_t id = credentials_newest(store);

    x->store = store;
    return !id || secrets_open(x, id);
}

// ---- masking

typedef struct {
    exchange_t *x;
    mask_t *mask;
} masking_t;

static void
mask_one(const json_t *credential, const void *sealed, size_t size, void *arg)
{
    static const char *const secret[] = { "password", "token", "apiKey" };
    masking_t *masking = arg;
    const json_t *whole = opened(masking->x, credential, sealed, size);

    for (size_t i = 0; whole && i < sizeof secret / sizeof *secret; i++)
        mask_add(masking->mask, json_get_text(whole, secret[i]));
    if (json_get_text(whole, "username") && json_get_text(whole, "password"))
        mask_add_pair(masking->mask, json_get_text(whole, "username"),
                      json_get_text(whole, "password"));
}

void
secrets_mask(exchange_t *x, int64_t environment, json_t *result)
{
    masking_t masking = { .x = x, .mask = mask_new(x->arena) };

    credentials_sealed_of(x->store, x->arena, environment, mask_one, &masking);
    mask_run(masking.mask, x->arena, result);
    x->why = (failure_t){ 0 };
}
