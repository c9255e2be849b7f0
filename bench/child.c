/* SPDX-License-Identifier: Apache-2.0 */
#include "child.h"

#include "driver_cache.h"
#include "failure.h"
#include "scratch.h"
#include "task.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Arguments of a child: task, subject, folder of the files, scratch folder,
 * platform (empty: any). */
enum { ARG_TASK, ARG_SUBJECT, ARG_DIR, ARG_SCRATCH, ARG_PLATFORM };

bool child_run(const struct bench *bench, enum task task,
        const struct subject *subject, double values[TASK_VALUES])
{
    char scratch[PATH_MAX];
    char primed[PATH_MAX];
    char cache[PATH_MAX];
    char number[12];
    snprintf(scratch, sizeof scratch, "%s/process", bench->dir);
    snprintf(number, sizeof number, "%d", (int)task);
    snprintf(primed, sizeof primed, "%s/primed", bench->dir);
    snprintf(
            cache, sizeof cache, "%s/process/" DRIVER_CACHE_FOLDER, bench->dir);
    if (!driver_cache_prime(primed, bench->platform)) return false;
    if (mkdir(scratch, 0700) != 0) {
        failure_set("%s cannot be made", scratch);
        return false;
    }
    const char *const arguments[] = {number, subject->name, bench->dir, scratch,
            bench->platform != NULL ? bench->platform : "", NULL};
    const bool done =
            driver_cache_copy(cache, primed)
            && process_run(arguments, NULL, NULL, values, TASK_VALUES);
    scratch_remove(scratch);
    return done;
}

int child_main(char **argv)
{
    if (driver_cache_is_child(argv)) return driver_cache_main(argv);
    double values[TASK_VALUES] = {0, 0, 0};
    struct device device;
    const char *platform = argv[ARG_PLATFORM];
    const enum task task = (enum task)atoi(argv[ARG_TASK]);
    const struct subject *subject =
            strcmp(argv[ARG_SUBJECT], subject_program.name) == 0
                    ? &subject_program
                    : &subject_primitive;
    const bool done =
            environment_prepare(argv[ARG_SCRATCH])
            && device_find(platform[0] != '\0' ? platform : NULL, &device)
            && task_run(task, subject, &device, argv[ARG_DIR], values);
    return process_answer(done, values, TASK_VALUES);
}
