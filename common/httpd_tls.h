// SPDX-License-Identifier: Apache-2.0
// Certificate and key of an HTTP server, for httpd*.c alone.

#ifndef PROOFARC_HTTPD_TLS_H
#define PROOFARC_HTTPD_TLS_H

#include "httpd.h"

// Reads the two PEM files of the options; without any, *cert_p and *key_p stay as they are. The
// caller frees both. EXIT_USAGE when one is missing, EXIT_KEY when one cannot be read or others
// can read the key.
exit_code_t httpd_tls_load(const httpd_options_t *options, char **cert_p, char **key_p,
                           failure_t *why);

#endif
