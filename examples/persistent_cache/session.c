/* SPDX-License-Identifier: Apache-2.0 */
#include "session.h"

#include "reference.h"

#include <stdlib.h>
#include <unistd.h>

/* Shows which object is being worked on, if standard error is a terminal. */
static void show_progress(const struct session *session, const char *name)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K[%zu/%d] %s", session->report.count + 1, 8,
                name);
}

struct cached session_begin(
        struct session *session, const char *name, const char *kind)
{
    show_progress(session, name);
    return (struct cached){
            .store = session->store,
            .report = report_add(&session->report, name, kind),
            .started_ns = session->started_ns,
    };
}

float *session_random(uint64_t seed, size_t count, float scale)
{
    float *numbers = malloc(count * sizeof *numbers);
    uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
    if (numbers == NULL) return NULL;
    for (size_t i = 0; i < count; i++) {
        /* xorshift64*: the upper 24 bits make a float exactly. */
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        const uint32_t bits = (uint32_t)((state * 0x2545f4914f6cdd1du) >> 40);
        numbers[i] = scale * ((float)bits / 8388608.0f - 1.0f);
    }
    return numbers;
}

bool session_take_result(struct session *session, struct report_object *object,
        const float *result, const float *expected, size_t count)
{
    if (expected != NULL) {
        object->checked = true;
        object->error = reference_error(expected, result, count, 1e-4);
    }
    if (session->output == NULL) return true;
    if (fwrite(result, sizeof *result, count, session->output) == count)
        return true;
    perror(session->options->output);
    return false;
}

dnnl_status_t session_failed(
        const char *name, const char *what, dnnl_status_t status)
{
    fprintf(stderr, "persistent_cache: %s: %s: %s\n", name, what,
            dnnl_status2str(status));
    return status;
}
