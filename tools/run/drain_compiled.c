/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/run/drain.h"

#include "src/common/byte_order.h"
#include "src/drivers/driver_binaries.h"
#include "src/platform/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* docs/reference/format.md, "Journals and records". */
enum { file_head = 16, record_head = 40, kind_build = 2, kind_made = 9 };

/* In a store's folder, or beside its file; end: "journal", with what follows.
 */
static int open_of(const char *store, const char *end)
{
    static const char between[] = {'/', '.'};
    char path[path_size];
    int fd = file_none;
    for (size_t i = 0; i < sizeof between && fd == file_none; i++)
        if ((size_t)snprintf(
                    path, sizeof path, "%s%c%s", store, between[i], end)
                < sizeof path)
            (void)file_open(&fd, file_here, path,
                    file_for_reading | file_no_link | file_no_wait, 0);
    return fd;
}

/* A build whose ID names NVIDIA's finaliser: it is noted only if its entry was
 * put without a form. The ID is at the beginning of its note. */
static bool lacks_form(int fd, uint64_t at, uint64_t size)
{
    enum { most_looked_at = 8192 };
    char part[most_looked_at];
    const size_t wanted = size < sizeof part ? (size_t)size : sizeof part;
    size_t got = 0;
    return file_read_some_at(&got, fd, part, wanted, at) == 0
           && memmem(part, got, DRIVER_PTX_FINALISER,
                      sizeof DRIVER_PTX_FINALISER - 1)
                      != NULL;
}

/* What a journal has records of. */
struct noted {
    unsigned made;    /* can be stored without compiling */
    bool is_formless; /* something is stored without its form */
};

/* The heads of records, and no more of them than are wanted. */
static struct noted count_records(
        int fd, uint64_t at, uint64_t size, unsigned most)
{
    uint8_t head[16];
    struct noted noted = {.made = 0};
    while (noted.made < most && at + record_head <= size
            && file_read_at(fd, head, sizeof head, at) == 0
            && memcmp(head, "dnjr", 4) == 0) {
        const uint64_t payload = load_le64(head + 8);
        const uint32_t kind = load_le32(head + 4);
        if (kind == kind_made) noted.made++;
        if (payload > size - at - record_head) break;
        if (kind == kind_build && !noted.is_formless)
            noted.is_formless = lacks_form(fd, at + record_head, payload);
        at += record_head + payload;
    }
    return noted;
}

/* Of a store's journal, behind what it had before. */
static struct noted look_at_journal(
        const char *store, const struct drain_before *before, unsigned most)
{
    struct file_facts now;
    uint64_t from = file_head;
    struct noted noted = {.made = 0};
    const int fd = open_of(store, "journal");
    if (fd == file_none) return noted;
    const bool has = file_facts(&now, fd) == 0 && now.kind == file_is_plain;
    /* It is appended to, or replaced. */
    if (has && before != NULL && before->journal.links > 0
            && file_is_same(&now, &before->journal)
            && now.size >= before->journal.size
            && before->journal.size > file_head)
        from = before->journal.size;
    if (has) noted = count_records(fd, from, now.size, most);
    (void)file_close(fd);
    return noted;
}

bool drain_has_compiled(const char *store, const struct drain_before *before)
{
    const struct noted noted = look_at_journal(store, before, 1);
    return noted.made > 0 || noted.is_formless;
}

/* Who drains has locked the file beside it. */
static bool is_drained(const char *store)
{
    const int fd = open_of(store, "journal.lock");
    if (fd == file_none) return false;
    const bool is = file_lock(fd, file_lock_shared, 0) == EWOULDBLOCK;
    (void)file_close(fd);
    return is;
}

/* The command would compile what is not there in time, which takes several
 * times as long. */
void drain_compiled_await(const char *store)
{
    enum { first_ms = 80, each_ms = 40, most_programs = 9, step_ms = 2 };
    unsigned most_ms = first_ms;
    for (unsigned ms = 0; ms < most_ms && is_drained(store); ms += step_ms) {
        const unsigned count = look_at_journal(store, NULL, most_programs).made;
        if (count == 0) return;
        most_ms = first_ms + each_ms * (count - 1);
        clock_sleep_ns(step_ms * 1000000u);
    }
}

/* A fortieth; a short command may take a moment more. */
static unsigned patience_ms(uint64_t command_ns)
{
    enum { least_ms = 60, most_ms = 1000 };
    const uint64_t ms = command_ns / 1000000u / 40;
    return ms < least_ms  ? least_ms
           : ms > most_ms ? (unsigned)most_ms
                          : (unsigned)ms;
}

void drain_compiled(const struct child_signals *signals,
        const struct drain *drain, const struct drain_before *before,
        uint64_t command_ns)
{
    struct drain_call call;
    if (!drain_has_compiled(drain->store, before)) return;
    char **environment = drain_environment();
    if (environment == NULL) return;
    drain_call_init(&call, drain, "0", true);
    drain_call_add(&call, "--compiled-only");
    drain_call_add(&call, "--jobs");
    drain_call_add(&call, "1");
    child_run_behind(signals, drain_call_arguments(&call), environment,
            drain->log, patience_ms(command_ns));
    free(environment);
}
