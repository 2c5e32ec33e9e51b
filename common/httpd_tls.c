// SPDX-License-Identifier: Apache-2.0
#include "httpd_tls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "limits.h"

// Reads a PEM file; NULL and `why` if it cannot be.
static char *
read_pem(const char *path, bool is_secret, failure_t *why)
{
    enum { PEM_MAX = 256 * KIB };
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat about;

    if (fd < 0 || fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)
        || about.st_size > PEM_MAX) {
        fail(why, BAD_ARGS, "%s cannot be read as a PEM file: %s", path,
             fd < 0 ? strerror(errno) : "it is no file of at most 256 KiB");
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    char *text = calloc(1, (size_t) about.st_size + 1);
    if (!text)
        abort();  // out of memory
    ssize_t size = read(fd, text, (size_t) about.st_size);
    close(fd);
    if (size == about.st_size && !(is_secret && (about.st_mode & 077)))
        return text;
    free(text);
    fail(why, BAD_ARGS, "%s must be readable for its owner alone (chmod 600)", path);
    return NULL;
}

exit_code_t
httpd_tls_load(const httpd_options_t *options, char **cert_p, char **key_p, failure_t *why)
{
    if (!options->tls_cert && !options->tls_key)
        return EXIT_DONE;
    if (!options->tls_cert || !options->tls_key) {
        fail(why, BAD_ARGS, "TLS needs both a certificate and its key");
        return EXIT_USAGE;
    }
    char *cert = read_pem(options->tls_cert, false, why);
    char *key = cert ? read_pem(options->tls_key, true, why) : NULL;
    if (!key) {
        free(cert);
        return EXIT_KEY;
    }
    *cert_p = cert;
    *key_p = key;
    return EXIT_DONE;
}
