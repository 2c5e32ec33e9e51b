// SPDX-License-Identifier: Apache-2.0
// The style sheet of the report.

#ifndef PROOFARC_PLATFORM_REPORT_CSS_H
#define PROOFARC_PLATFORM_REPORT_CSS_H

extern const char report_css[];

#endif
