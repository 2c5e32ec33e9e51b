// SPDX-License-Identifier: Apache-2.0
// Making applications, environments and targets of what a body says: the same for the routes
// that make one thing and for the one that makes a whole project.

#ifndef PROOFARC_PLATFORM_SETUP_H
#define PROOFARC_PLATFORM_SETUP_H

#include "routes.h"

// The members their bodies have, ended by a row without a name.
extern const member_t setup_application_members[], setup_environment_members[],
    setup_target_members[];

#define INTERFACES        "WEB_UI|REST|GRAPHQL|SOAP|GRPC|MESSAGING|WEBSOCKET|MOBILE_UI"
#define APPLICATION_TYPES "WEB_APP|REST_SERVICE|MOBILE_APP|OTHER"
#define REQUIREMENTS      "PUBLIC|AUTHENTICATED"
#define TARGET_TYPES      "WEB_APP|REST_SERVICE"

// The application or environment `given` names: found by its name (*existed_p), else made;
// linked to `project` unless that is 0. NULL and x->why when something is wrong.
json_t *setup_application(exchange_t *x, const json_t *given, int64_t project, bool *existed_p);
json_t *setup_environment(exchange_t *x, const json_t *given, int64_t project, bool *existed_p);

// A new target. CONFLICT DUPLICATE_TARGET or DUPLICATE_BASE_URL when it is there already.
json_t *setup_target(exchange_t *x, int64_t environment, const json_t *given);

// The target that stands in the way of a new one, or NULL.
json_t *setup_old_target(exchange_t *x, int64_t environment, const json_t *given);

#endif
