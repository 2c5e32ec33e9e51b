// SPDX-License-Identifier: Apache-2.0
// A look at YAML before it is parsed: libfyaml keeps a token for every bracket that is still
// open while it looks for the end of a key, 350 bytes each, without a bound.

#ifndef PROOFARC_PLATFORM_YAML_SCAN_H
#define PROOFARC_PLATFORM_YAML_SCAN_H

#include <stdbool.h>
#include <stddef.h>

// True if more than `most` brackets may be open at one time. Counts rather too many: openers
// everywhere, closers only where no quotes or comment are around them.
bool yaml_scan_nests_beyond(const char *text, size_t size, size_t most);

#endif
