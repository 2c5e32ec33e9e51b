// SPDX-License-Identifier: Apache-2.0
// Feeds the files of the given folders to a target that was built without libFuzzer.

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "target.h"

static void
feed(const char *path)
{
    FILE *file = fopen(path, "rb");
    unsigned char *bytes = malloc(FUZZ_INPUT_MAX);

    if (!file || !bytes) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(1);
    }
    size_t size = fread(bytes, 1, FUZZ_INPUT_MAX, file);
    fclose(file);
    unsigned char *exact = malloc(size ? size : 1);  // what lies behind is not ours
    for (size_t i = 0; i < size; i++)
        exact[i] = bytes[i];
    free(bytes);
    printf("%s\n", path);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

int
main(int argc, char **argv)
{
    int count = 0;

    for (int i = 1; i < argc; i++) {
        DIR *folder = opendir(argv[i]);
        for (struct dirent *entry; folder && (entry = readdir(folder));) {
            char path[4096];
            if (entry->d_name[0] == '.')
                continue;
            snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
            feed(path);
            count++;
        }
        if (folder)
            closedir(folder);
    }
    printf("%d inputs\n", count);
    return count ? 0 : 1;
}
