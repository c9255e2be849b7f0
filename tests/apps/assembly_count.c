/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many programs of applications have assembly, and which of them have an ID
 * only since what reaches it is judged (docs/how_it_works/identity.md,
 * "Assembly"):
 *
 *     assembly_count RECORD...
 *     assembly_count --sources APPLICATION OPTIONS FILE...
 *     assembly_count --help
 *
 * A line for each application: programs of source; those that the judgement
 * refuses; those with the word asm in any text, included files too; those that
 * the older rule refuses, by which no program may have assembly and a macro
 * that makes strings; and what is new: refused before, and now not. A record
 * has programs with an ID alone; with --sources each file is a program, built
 * with the options. Included files are read where the options say: on the
 * machine, and with the files, of the record; of a program whose includes
 * cannot be followed they are not read, so it may be missing under asm and
 * refused before. Exit status: 0 counted, 1 a file cannot be read, 2 wrong
 * usage.
 */
#include "src/includes/build_options.h"
#include "src/includes/include_assembly.h"
#include "src/includes/include_scan.h"
#include "src/includes/includes.h"
#include "src/platform/file.h"

#include <dnnl_cache/recording.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_applications = 64, most_text = 64 << 20 };

struct count {
    char application[64];
    unsigned programs, refused, with_assembly, refused_before, new;
};

struct counts {
    struct count list[most_applications];
    size_t count;
};

static struct count *count_of(struct counts *counts, const char *application)
{
    for (size_t i = 0; i < counts->count; i++)
        if (strcmp(counts->list[i].application, application) == 0)
            return &counts->list[i];
    if (counts->count == most_applications) exit(1);
    struct count *count = &counts->list[counts->count++];
    snprintf(count->application, sizeof count->application, "%s", application);
    return count;
}

/* What the text adds to what the program has of assembly. */
static void see(unsigned *seen, const char *text, size_t size)
{
    struct include_scan scan;
    struct include_directive include;
    include_scan_init(&scan, text, size);
    scan.seen = *seen;
    while (include_scan_next(&scan, &include)) {
    }
    *seen = scan.seen;
}

static bool see_files(unsigned *seen, const struct include_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        uint8_t *text = NULL;
        size_t size = 0;
        if (file_read_whole(
                    &text, &size, file_here, files->list[i].path, most_text)
                != 0)
            return false;
        see(seen, (const char *)text, size);
        free(text);
    }
    return true;
}

/* False: not all that it includes is on this machine. */
static bool see_all(unsigned *seen, const dnnl_cache_note_t *note)
{
    const struct include_driver driver = {"Portable Computing Language", true};
    struct includes includes;
    struct include_files files = {0};
    *seen = assembly_told;
    if (options_make_strings(note->options))
        *seen |= assembly_unknown | assembly_pastes;
    for (size_t i = 0; i < note->source_count; i++)
        see(seen, note->sources[i], note->source_sizes[i]);
    for (size_t i = 0; i < note->header_count; i++)
        see(seen, note->headers[i].text, note->headers[i].size);
    for (size_t i = 0; i < note->header_program_count; i++)
        see(seen, note->header_programs[i].text, note->header_programs[i].size);
    if (note->header_program_count > 0) return true;
    if (!includes_follow(&includes, &files, &driver, note->source_count,
                note->sources, note->source_sizes, note->options)) {
        fprintf(stderr, "assembly_count: %s\n", includes.reason);
        return false;
    }
    const bool is_all = see_files(seen, &files);
    include_files_fini(&files);
    return is_all;
}

static void count_program(struct counts *counts, const char *application,
        const dnnl_cache_note_t *note)
{
    unsigned seen;
    struct count *count = count_of(counts, application);
    const bool is_taken = see_all(&seen, note);
    const bool was_refused = assembly_is_unknown(seen);
    count->programs++;
    count->refused += !is_taken;
    count->with_assembly += (seen & assembly_word) != 0;
    count->refused_before += was_refused;
    count->new += was_refused &&is_taken;
}

static bool visit(void *user, const struct dnnl_cache_store_journal_item *item)
{
    if (item->note->kind == dnnl_cache_note_build
            && item->note->source_count > 0)
        count_program(user, item->application, item->note);
    return true;
}

static bool count_file(struct counts *counts, const char *application,
        const char *options, const char *path)
{
    uint8_t *text = NULL;
    size_t size = 0;
    dnnl_cache_note_t note = DNNL_CACHE_NOTE_INIT;
    if (file_read_whole(&text, &size, file_here, path, most_text) != 0)
        return false;
    const char *source = (const char *)text;
    note.options = options;
    note.source_count = 1;
    note.sources = &source;
    note.source_sizes = &size;
    count_program(counts, application, &note);
    free(text);
    return true;
}

static bool count_record(struct counts *counts, const char *path)
{
    const struct dnnl_cache_recording_options options = {
            .struct_size = sizeof options, .path = path, .read_only = true};
    dnnl_cache_store_handle_t *record = NULL;
    if (dnnl_cache_recording_open(&record, &options) != dnnl_success)
        return false;
    const bool is_read = dnnl_cache_store_journal_read(record, visit, counts)
                         == dnnl_success;
    dnnl_cache_store_close(record);
    return is_read;
}

static const char usage[] =
        "usage: assembly_count RECORD...\n"
        "       assembly_count --sources APPLICATION OPTIONS FILE...\n";

int main(int argc, char **argv)
{
    static struct counts counts;
    const bool is_sources = argc > 1 && strcmp(argv[1], "--sources") == 0;
    bool is_read = true;
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(usage, stdout);
        return 0;
    }
    if (argc < (is_sources ? 5 : 2)) {
        fputs(usage, stderr);
        return 2;
    }
    for (int i = is_sources ? 4 : 1; i < argc && is_read; i++) {
        is_read = is_sources ? count_file(&counts, argv[2], argv[3], argv[i])
                             : count_record(&counts, argv[i]);
        if (!is_read)
            fprintf(stderr, "assembly_count: %s cannot be read\n", argv[i]);
    }
    printf("| application | programs | refused | with `asm` | refused before "
           "| new |\n| --- | ---: | ---: | ---: | ---: | ---: |\n");
    for (size_t i = 0; i < counts.count; i++) {
        const struct count *c = &counts.list[i];
        printf("| %s | %u | %u | %u | %u | %u |\n", c->application, c->programs,
                c->refused, c->with_assembly, c->refused_before, c->new);
    }
    return !is_read;
}
