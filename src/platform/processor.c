/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/processor.h"
#include "src/platform/file.h"
#include "src/platform/processor_words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

/* ---- Words --------------------------------------------------------------- */

void processor_list_add(struct processor_list *list, const char *word)
{
    const size_t size = strlen(word) + 1;
    for (size_t i = 0; i < list->count && i < processor_most_words; i++)
        if (strcmp(list->words[i], word) == 0) return;
    if (list->count < processor_most_words && size <= processor_word_size)
        memcpy(list->words[list->count++], word, size);
    else
        list->count = processor_most_words + 1;
}

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

bool processor_list_write(
        struct processor_list *list, char features[processor_features_size])
{
    size_t end = 0;
    features[0] = '\0';
    if (list->count > processor_most_words) return false;
    qsort(list->words, list->count, sizeof list->words[0], compare);
    for (size_t i = 0; i < list->count; i++) {
        const size_t length = strlen(list->words[i]);
        if (end + length + 2 > processor_features_size) return false;
        if (end > 0) features[end++] = ' ';
        memcpy(features + end, list->words[i], length + 1);
        end += length;
    }
    return true;
}

/* ---- x86 ----------------------------------------------------------------- */

#if defined(__x86_64__) || defined(__i386__)

static struct processor_words ask_cpuid(
        void *user, uint32_t leaf, uint32_t subleaf)
{
    struct processor_words told;
    (void)user;
    __cpuid_count(leaf, subleaf, told.eax, told.ebx, told.ecx, told.edx);
    return told;
}

static uint64_t ask_enabled(void *user)
{
    uint32_t low;
    uint32_t high;
    (void)user;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

static bool read_machine(struct processor *out)
{
    const struct processor_x86 machine = {
            .cpuid = ask_cpuid, .enabled = ask_enabled};
    return processor_read_x86(out, &machine);
}

#endif

/* ---- ARM, and what is told in the same way --------------------------------
 */

/* The value of a line "key  : value"; NULL: the line is another one. */
static const char *value_of(const char *line, const char *key)
{
    const size_t length = strlen(key);
    if (strncmp(line, key, length) != 0) return NULL;
    line += length + strspn(line + length, " \t");
    return *line == ':' ? line + 1 + strspn(line + 1, " \t") : NULL;
}

/* What a core is: its implementer, variant and part, as far as they were told.
 * Its revision decides nothing. */
struct core {
    unsigned long implementer, variant, part;
    bool is_told;
};

/* Cores of one kind that follow each other have one word: the order counts, as
 * LLVM takes the name of the last one. */
static bool add_core(
        struct processor *out, char last[], size_t size, struct core *core)
{
    char text[64];
    const size_t length = strlen(out->name);
    if (!core->is_told) return true;
    (void)snprintf(text, sizeof text, "%lx-%lx-%lx", core->implementer,
            core->variant, core->part);
    core->is_told = false;
    if (strcmp(text, last) == 0) return true;
    (void)snprintf(last, size, "%s", text);
    const int added = snprintf(out->name + length, sizeof out->name - length,
            "%s%s", length > 0 ? " " : "", text);
    return added >= 0 && (size_t)added < sizeof out->name - length;
}

static bool read_cores(struct processor *out, const char *cpuinfo)
{
    static const char *const keys[] = {
            "CPU implementer", "CPU variant", "CPU part"};
    struct core core = {.is_told = false};
    char last[64] = "";
    bool ok = true;
    for (const char *line = cpuinfo; line != NULL && ok;) {
        unsigned long *const places[] = {
                &core.implementer, &core.variant, &core.part};
        if (value_of(line, "processor") != NULL)
            ok = add_core(out, last, sizeof last, &core);
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
            const char *value = value_of(line, keys[i]);
            if (value == NULL) continue;
            *places[i] = strtoul(value, NULL, 0);
            core.is_told = true;
        }
        const char *end = strchr(line, '\n');
        line = end != NULL ? end + 1 : NULL;
    }
    return ok && add_core(out, last, sizeof last, &core);
}

/* Features as the kernel names them, which older versions of LLVM read, of the
 * first core; all cores have the same. */
static void add_features(struct processor_list *list, const char *cpuinfo)
{
    const char *value = NULL;
    for (const char *line = cpuinfo; line != NULL && value == NULL;) {
        value = value_of(line, "Features");
        const char *end = strchr(line, '\n');
        line = end != NULL ? end + 1 : NULL;
    }
    while (value != NULL && *value != '\0' && *value != '\n') {
        char word[processor_word_size];
        const size_t length = strcspn(value, " \t\n");
        (void)snprintf(word, sizeof word, "%.*s", (int)length, value);
        if (length > 0) processor_list_add(list, word);
        value += length + strspn(value + length, " \t");
    }
}

bool processor_read_arm(struct processor *out, const char *cpuinfo,
        size_t count, const uint64_t *words)
{
    struct processor_list list = {.count = 0};
    memset(out, 0, sizeof *out);
    add_features(&list, cpuinfo);
    for (size_t i = 0; i < count; i++) {
        char word[processor_word_size];
        (void)snprintf(word, sizeof word, "hwcap%zu=%llx", i,
                (unsigned long long)words[i]);
        processor_list_add(&list, word);
    }
    return read_cores(out, cpuinfo)
           && processor_list_write(&list, out->features);
}

#if !defined(__x86_64__) && !defined(__i386__)

/* POWER's and others' kernels name the processor for the dynamic linker. */
static void add_platform(struct processor *out)
{
    const char *name = (const char *)getauxval(AT_PLATFORM);
    const size_t length = strlen(out->name);
    if (name != NULL)
        (void)snprintf(out->name + length, sizeof out->name - length, "%s%s",
                length > 0 ? " " : "", name);
}

/* Where there is none the compiler cannot read it either. NULL: it cannot be
 * read now, or there is no memory. */
static char *read_cpuinfo(void)
{
    enum { most_bytes = 4 << 20 };
    int fd;
    size_t size = 0;
    char *text = calloc(most_bytes + 1, 1);
    if (text == NULL) return NULL;
    int error = file_open(&fd, file_here, "/proc/cpuinfo", file_for_reading, 0);
    if (error == ENOENT) return text;
    if (error == 0) {
        error = file_read_up_to(&size, fd, text, most_bytes, 0);
        (void)file_close(fd);
    }
    if (error == 0 && size < most_bytes) return text;
    free(text);
    return NULL;
}

static bool read_machine(struct processor *out)
{
    enum { at_hwcap3 = 29, at_hwcap4 = 30 };
    static const unsigned long kinds[] = {
            AT_HWCAP, AT_HWCAP2, at_hwcap3, at_hwcap4};
    uint64_t words[sizeof kinds / sizeof *kinds];
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        words[i] = getauxval(kinds[i]);
    char *cpuinfo = read_cpuinfo();
    const bool ok = cpuinfo != NULL
                    && processor_read_arm(
                            out, cpuinfo, sizeof kinds / sizeof *kinds, words);
    if (ok) add_platform(out);
    free(cpuinfo);
    return ok;
}

#endif

/* Where a clock's unit ends that begins there; NULL: it is none. */
static const char *skip_clock(const char *at)
{
    at += strspn(at, " ");
    if (*at++ != '@') return NULL;
    at += strspn(at, " ");
    const size_t digits = strspn(at, "0123456789.");
    at += digits;
    return digits > 0 && strchr("MGT", *at) != NULL && *at != '\0'
                           && strncmp(at + 1, "Hz", 2) == 0
                   ? at + 3
                   : NULL;
}

void processor_name_drop_clock(char *name)
{
    for (; *name != '\0'; name++) {
        const char *end = skip_clock(name);
        if (end == NULL) continue;
        memmove(name, end, strlen(end) + 1);
        return;
    }
}

bool processor_read(struct processor *out)
{
    return read_machine(out);
}
