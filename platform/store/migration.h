// SPDX-License-Identifier: Apache-2.0
// The steps from an empty database to today's schema, embedded from store/schema/NNN_name.sql
// when the program is built. Forward only: a step that was released is never changed.

#ifndef PROOFARC_MIGRATION_H
#define PROOFARC_MIGRATION_H

typedef struct {
    int number;        // 1, 2, 3 … without gaps
    const char *name;  // "001_initial"
    const char *sql;
} migration_t;

extern const migration_t migrations[];  // ended by number 0

#endif
