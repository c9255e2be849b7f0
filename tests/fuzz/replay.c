/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a fuzz target on the files of the folders given, without a fuzz engine:
 * what fuzzing once found stays found in every build. Prints each file's name
 * before it runs, so that the last one printed is the culprit.
 */
#include "fuzz.h"

#include <dirent.h>
#include <string.h>

/* Runs on one file, in memory that ends where it ends. */
static int replay_file(const char *path)
{
    int result = 1;
    FILE *file = fopen(path, "rb");
    uint8_t *data = NULL;
    if (file == NULL) goto out;
    if (fseek(file, 0, SEEK_END) != 0) goto out;
    long size = ftell(file);
    if (size < 0 || fseek(file, 0, SEEK_SET) != 0) goto out;
    data = malloc(size > 0 ? (size_t)size : 1);
    if (data == NULL) goto out;
    if (fread(data, 1, (size_t)size, file) != (size_t)size) goto out;
    (void)printf("%s\n", path);
    (void)fflush(stdout);
    (void)LLVMFuzzerTestOneInput(data, (size_t)size);
    result = 0;
out:
    if (result != 0) perror(path);
    free(data);
    if (file != NULL) (void)fclose(file);
    return result;
}

/* Runs on every plain file of a folder whose name has no leading dot. */
static int replay_folder(const char *path, unsigned *count)
{
    DIR *folder = opendir(path);
    if (folder == NULL) {
        perror(path);
        return 1;
    }
    int result = 0;
    for (struct dirent *e = readdir(folder); e != NULL && result == 0;
            e = readdir(folder)) {
        char file[4096];
        if (e->d_name[0] == '.') continue;
        (void)snprintf(file, sizeof file, "%s/%s", path, e->d_name);
        result = replay_file(file);
        ++*count;
    }
    (void)closedir(folder);
    return result;
}

int main(int argc, char **argv)
{
    unsigned count = 0;
    for (int i = 1; i < argc; i++)
        if (replay_folder(argv[i], &count) != 0) return 1;
    (void)printf("%u files\n", count);
    return count > 0 ? 0 : 1;
}
