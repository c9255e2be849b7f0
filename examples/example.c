/* SPDX-License-Identifier: Apache-2.0 */
#include "example.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- The command line ---------------------------------------------------- */

enum { exit_ok = 0, exit_failed = 1, exit_usage = 2, exit_wrong = 3 };

/* Strings are those of argv. */
struct options {
    const char *path;
    const char *platform;
    bool help;
};

static bool mistake(const char *what, const char *argument)
{
    fprintf(stderr, "%s: %s%s (--help tells more)\n",
            program_invocation_short_name, what, argument);
    return false;
}

static bool parse(struct options *options, const struct example *example,
        int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            options->help = true;
            return true;
        }
        if (strcmp(argv[i], "--platform") == 0) {
            if (++i == argc) return mistake("no value for --platform", "");
            options->platform = argv[i];
        } else if (argv[i][0] == '-') {
            return mistake("no such option: ", argv[i]);
        } else if (options->path != NULL) {
            return mistake("one argument too many: ", argv[i]);
        } else {
            options->path = argv[i];
        }
    }
    if (options->path == NULL || options->path[0] == '\0')
        return mistake("missing: ", example->path_name);
    return true;
}

static void print_help(const struct example *example)
{
    printf("usage: %s [--platform TEXT] %s\n\n%s\n"
           "  %-16s  where blobs are kept; made if missing\n"
           "  --platform TEXT   use the OpenCL platform with TEXT in its name\n"
           "  --help            this text\n"
           "\n"
           "exit status: 0 well; 1 the library or the driver failed; 2 wrong\n"
           "usage; 3 wrong results. Trouble with %s is a warning: then\n"
           "everything is compiled.\n",
            program_invocation_short_name, example->path_name, example->purpose,
            example->path_name, example->path_name);
}

int example_main(const struct example *example, int argc, char **argv)
{
    struct options options = {.platform = ""};
    struct device device;
    bool right = false;
    if (!parse(&options, example, argc, argv)) return exit_usage;
    if (options.help) {
        print_help(example);
        return exit_ok;
    }
    /* A limit on file sizes is the cache's trouble, not this program's end. */
    signal(SIGXFSZ, SIG_IGN);
    if (!device_open(&device, options.platform)) return exit_failed;
    const dnnl_status_t st = example->run(&device, options.path, &right);
    device_close(&device);
    if (st != dnnl_success) {
        fprintf(stderr, "%s: %s\n", program_invocation_short_name,
                dnnl_status2str(st));
        return exit_failed;
    }
    return right ? exit_ok : exit_wrong;
}

/* ---- What is printed ----------------------------------------------------- */

double example_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

void example_print_time(unsigned long long compiled, double ms)
{
    if (compiled > 0)
        printf("compiled %llu program%s, result in %.1f ms\n", compiled,
                compiled == 1 ? "" : "s", ms);
    else
        printf("from the cache, result in %.1f ms, nothing compiled\n", ms);
}

void example_print_library_time(double ms)
{
    dnnl_cache_statistics_t statistics = DNNL_CACHE_STATISTICS_INIT;
    if (dnnl_cache_get_statistics(&statistics) == dnnl_success)
        example_print_time(statistics.programs_compiled, ms);
}

void example_print_result(double sum, bool right)
{
    printf("result: a sum of %.0f, %s\n", sum, right ? "right" : "WRONG");
}

void example_log(dnnl_cache_log_level_t level, const char *text, void *user)
{
    (void)user;
    if (level != dnnl_cache_log_info)
        fprintf(stderr, "%s: warning: %s\n", program_invocation_short_name,
                text);
}

/* ---- Files --------------------------------------------------------------- */

static void warn(const char *what, const char *path)
{
    fprintf(stderr, "%s: warning: cannot %s %s: %s\n",
            program_invocation_short_name, what, path, strerror(errno));
}

void example_warn(const char *path, const char *what)
{
    fprintf(stderr, "%s: warning: %s %s\n", program_invocation_short_name, path,
            what);
}

void example_blob_path(char path[example_path_size], const char *folder,
        size_t id_size, const uint8_t *id)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    for (size_t i = 0; i < id_size; i++)
        hash = (hash ^ id[i]) * 0x100000001b3u;
    const int length = snprintf(
            path, example_path_size, "%s/%016" PRIx64 ".blob", folder, hash);
    if (id_size == 0 || length < 0 || length >= example_path_size)
        path[0] = '\0';
}

/* All of an open file, or NULL after a warning; errno is not changed by
 * success. */
static uint8_t *read_open_file(FILE *file, const char *path, size_t *size)
{
    struct stat status;
    if (fstat(fileno(file), &status) != 0) {
        warn("read", path);
        return NULL;
    }
    if (S_ISDIR(status.st_mode)) {
        example_warn(path, "is a folder");
        errno = EISDIR;
        return NULL;
    }
    if (!S_ISREG(status.st_mode)) {
        example_warn(path, "is no regular file");
        errno = EINVAL;
        return NULL;
    }
    if (status.st_size == 0) {
        example_warn(path, "is empty");
        errno = ENODATA;
        return NULL;
    }
    uint8_t *bytes = malloc((size_t)status.st_size);
    /* Shorter than it was a moment ago is no different from damaged. */
    if (bytes != NULL)
        *size = fread(bytes, 1, (size_t)status.st_size, file);
    else
        warn("read", path);
    return bytes;
}

uint8_t *example_read_file(const char *path, size_t *size)
{
    /* A pipe that nobody writes to must not hold this program up. */
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    FILE *file = fd >= 0 ? fdopen(fd, "rb") : NULL;
    if (file == NULL) {
        const int error = errno;
        if (error != ENOENT) warn("open", path);
        if (fd >= 0) close(fd);
        errno = error;
        return NULL;
    }
    uint8_t *bytes = read_open_file(file, path, size);
    const int error = errno;
    fclose(file);
    errno = error;
    return bytes;
}

/* Makes what is missing of the folders above a path; false after a warning. */
static bool make_folders_of(const char *path)
{
    char folder[example_path_size];
    for (const char *end = strchr(path + 1, '/'); end != NULL;
            end = strchr(end + 1, '/')) {
        const size_t length = (size_t)(end - path);
        memcpy(folder, path, length);
        folder[length] = '\0';
        if (mkdir(folder, 0700) == 0 || errno == EEXIST) continue;
        warn("make folder", folder);
        return false;
    }
    return true;
}

void example_write_file(const char *path, size_t size, const uint8_t *bytes)
{
    char temporary[example_path_size];
    if (path[0] == '\0') return;
    const int length = snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    if (length < 0 || (size_t)length >= sizeof temporary) {
        errno = ENAMETOOLONG;
        warn("write", path);
        return;
    }
    if (!make_folders_of(path)) return;
    const int fd = mkstemp(temporary); /* for this user only */
    FILE *file = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (file == NULL) {
        warn("make a file beside", path);
        if (fd >= 0) {
            close(fd);
            unlink(temporary);
        }
        return;
    }
    /* Not synced: what a power failure tears is noticed when it is read. */
    bool written = fwrite(bytes, 1, size, file) == size;
    if (fclose(file) != 0) written = false;
    if (written && rename(temporary, path) == 0) return;
    warn("write", path);
    unlink(temporary);
}
