// SPDX-License-Identifier: Apache-2.0
// AUTO(thing_destroy) thing_t *thing = …;  destroys `thing` at the end of its scope.
// The destructor takes thing_t ** and accepts a pointer to NULL, so a function that took
// the thing over has left NULL behind and nothing is destroyed twice.

#ifndef PROOFARC_AUTO_H
#define PROOFARC_AUTO_H

#define AUTO(destructor) __attribute__((cleanup(destructor)))

// Number of rows in an array whose size the compiler knows.
#define ROWS(array) (sizeof(array) / sizeof(*(array)))

#endif
