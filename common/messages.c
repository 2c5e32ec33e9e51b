// SPDX-License-Identifier: Apache-2.0
#include "messages.h"

#include <stdlib.h>

MESSAGES(WIRE_DEFINE)
