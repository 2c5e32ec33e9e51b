// SPDX-License-Identifier: Apache-2.0
#include "message.h"

#include <stdlib.h>

void
body_clear(body_t *self)
{
    if (self->free && self->handle)
        self->free(self->handle);
    *self = (body_t){ 0 };
}

void
message_clear(message_t *self)
{
    free(self->memory);
    body_clear(&self->body);
    *self = (message_t){ 0 };
}
