/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify: first the store checks that all bytes are those that were written,
 * then each blob is looked at: a value may be whole and still be none that the
 * library would take. All of it without changing anything; what is to be
 * repaired is known then.
 */
#include "tools/dnnl_cache/base/place.h"
#include "tools/dnnl_cache/base/progress.h"
#include "tools/dnnl_cache/base/table.h"
#include "tools/dnnl_cache/commands/commands.h"
#include "tools/dnnl_cache/refresh/failed_builds.h"
#include "tools/dnnl_cache/view/findings.h"
#include "tools/dnnl_cache/view/subject.h"

#include <inttypes.h>
#include <string.h>

struct verification {
    struct tool *tool;
    struct progress progress;
    struct findings findings;
    bool out_of_memory;
    dnnl_status_t status; /* of the store, in the second pass */
    uint64_t looked_at;
    uint64_t bytes; /* of good blobs */
    uint64_t intact;
    uint64_t newer;
    uint64_t of_encryption; /* of those that are not of this key */
    uint64_t removed;
    size_t failed_damaged; /* failed builds, which are no entries */
};

static uint64_t count_of(const struct verification *v, enum problem problem)
{
    return findings_count(&v->findings, problem);
}

static bool has_key(const struct verification *v)
{
    return v->tool->options->key_file != NULL;
}

/* ---- Bytes --------------------------------------------------------------- */

/* With a key all on disk are taken for unsigned at first, see tell_unsigned().
 */
static enum problem problem_of(
        const struct verification *v, enum dnnl_cache_store_flaw flaw)
{
    if (flaw == dnnl_cache_store_flaw_misplaced) return problem_foreign;
    return has_key(v) || flaw == dnnl_cache_store_flaw_unsigned
                           || flaw == dnnl_cache_store_flaw_encryption
                   ? problem_unsigned
                   : problem_damaged;
}

static bool note_bytes(
        void *user, const struct dnnl_cache_store_verdict *verdict)
{
    struct verification *v = user;
    progress_set(&v->progress, ++v->looked_at);
    if (verdict->intact) return true;
    v->of_encryption += verdict->flaw == dnnl_cache_store_flaw_encryption;
    v->newer += verdict->flaw == dnnl_cache_store_flaw_newer;
    if (verdict->flaw == dnnl_cache_store_flaw_newer) return true;
    v->out_of_memory =
            findings_add(&v->findings, problem_of(v, verdict->flaw),
                    verdict->name, NULL, verdict->id_size, verdict->id)
            == NULL;
    return !v->out_of_memory;
}

static bool note_damage(
        void *user, const struct dnnl_cache_store_verdict *verdict)
{
    struct verification *v = user;
    progress_set(&v->progress, ++v->looked_at);
    struct finding *f =
            verdict->intact ? NULL : findings_at(&v->findings, verdict->name);
    if (f != NULL) f->problem = problem_damaged;
    return true;
}

static enum tool_exit read_all(struct verification *v, uint64_t total,
        dnnl_cache_store_verify_callback_t note)
{
    struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
    v->looked_at = 0;
    progress_init(&v->progress, v->tool, "reading", total);
    const dnnl_status_t st =
            dnnl_cache_store_verify(v->tool->store, false, note, v, &check);
    progress_clear(&v->progress);
    if (v->out_of_memory) return tool_no_memory(v->tool);
    return tool_check(v->tool, "verify", st);
}

/* To a store with a key what another one signed is damage, and so is what none
 * did. Without the key it is intact. */
static enum tool_exit tell_unsigned(struct verification *v, uint64_t total)
{
    struct tool *tool = v->tool;
    enum tool_exit code = tool_reopen(tool, tool_access_check, false);
    if (code == exit_ok) code = read_all(v, total, note_damage);
    if (code == exit_ok) code = tool_reopen(tool, tool_access_check, true);
    return code;
}

/* ---- Blobs --------------------------------------------------------------- */

static void judge(struct verification *v,
        const struct dnnl_cache_store_entry *item, size_t size,
        const uint8_t *blob)
{
    dnnl_cache_blob_info_t info;
    const dnnl_status_t st = subject_check_blob(
            v->tool, &info, item->id_size, item->id, size, blob);
    if (st == dnnl_success) {
        v->intact++;
        v->bytes += size;
    } else if (st == dnnl_cache_blob_unsupported) {
        v->newer++;
    } else if (!findings_have(&v->findings, problem_damaged, item->id_size,
                       item->id)) {
        /* A store gives damaged ones, too: a blob's bytes are its reader's to
         * check. They are counted already. */
        v->out_of_memory = findings_add(&v->findings, problem_foreign, NULL,
                                   v->tool->reason, item->id_size, item->id)
                           == NULL;
    }
}

static bool note_blob(void *user, const struct dnnl_cache_store_entry *item)
{
    struct verification *v = user;
    const dnnl_cache_store_t *store =
            dnnl_cache_store_get_callbacks(v->tool->store);
    const uint8_t *blob;
    size_t size;
    progress_set(&v->progress, ++v->looked_at);
    const dnnl_status_t st =
            store->get(store->user, item->id_size, item->id, &size, &blob);
    /* Damaged where the store looks, or gone meanwhile. */
    if (st == dnnl_cache_miss) return true;
    v->status = st;
    if (st != dnnl_success) return false;
    judge(v, item, size, blob);
    store->release(store->user, size, blob);
    return !v->out_of_memory;
}

static enum tool_exit check_blobs(struct verification *v, uint64_t total)
{
    v->looked_at = 0;
    progress_init(&v->progress, v->tool, "checking", total);
    dnnl_status_t st = dnnl_cache_store_iterate(v->tool->store, note_blob, v);
    progress_clear(&v->progress);
    if (v->out_of_memory) return tool_no_memory(v->tool);
    if (st == dnnl_success) st = v->status;
    return tool_check(v->tool, "verify", st);
}

/* ---- Repair -------------------------------------------------------------- */

static bool note_whole(
        void *user, const struct dnnl_cache_store_verdict *verdict)
{
    bool *whole = user;
    *whole = *whole || finding_is_of_the_whole(verdict->name);
    return true;
}

/* Foreign entries hold nothing that anybody could use; those without an ID, a
 * server's under another name, are removed already. A pack that is damaged
 * as a whole was emptied when it was opened, or (counted) when it was read. */
static enum tool_exit remove_found(struct verification *v, bool counted)
{
    const dnnl_cache_store_t *store =
            dnnl_cache_store_get_callbacks(v->tool->store);
    for (size_t i = 0; i < v->findings.count; i++) {
        const struct finding *f = &v->findings.items[i];
        if (finding_is_of_the_whole(f->place)) {
            v->removed += !counted;
        } else if (f->problem == problem_foreign && f->id != NULL) {
            const dnnl_status_t st =
                    store->remove(store->user, f->id_size, f->id);
            if (st != dnnl_success) return tool_check(v->tool, "remove", st);
            v->removed++;
        }
    }
    return exit_ok;
}

/* Without the key unsigned entries are intact, and stay. */
static enum tool_exit repair(struct verification *v)
{
    const bool unsigned_too = v->tool->options->unsigned_too;
    struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
    bool whole = false;
    if (count_of(v, problem_damaged) + count_of(v, problem_foreign) == 0
            && !(unsigned_too
                    && (count_of(v, problem_unsigned) > 0
                            || place_is_remote(v->tool->options))))
        return exit_ok;
    enum tool_exit code =
            tool_reopen(v->tool, tool_access_repair, unsigned_too);
    if (code == exit_ok)
        code = tool_check(v->tool, "repair",
                dnnl_cache_store_verify(
                        v->tool->store, true, note_whole, &whole, &check));
    v->removed = check.repaired;
    return code == exit_ok ? remove_found(v, whole) : code;
}

/* ---- Report -------------------------------------------------------------- */

static void add_number(struct table *table, const char *name, uint64_t number)
{
    table_add(table, name);
    table_add_number(table, number);
}

static enum tool_exit write_text(
        const struct verification *v, struct tool *tool)
{
    struct table table;
    enum tool_exit code = findings_write_table(&v->findings, tool);
    if (code != exit_ok) return code;
    table_init_plain(&table, 2);
    add_number(&table, "intact", v->intact);
    table_add(&table, "intact blobs");
    table_add_size(&table, v->bytes);
    add_number(&table, "damaged", count_of(v, problem_damaged));
    if (has_key(v) || place_is_remote(tool->options))
        add_number(&table, "not of this key", count_of(v, problem_unsigned));
    add_number(&table, "foreign", count_of(v, problem_foreign));
    add_number(&table, "of a newer format", v->newer);
    add_number(&table, "removed", v->removed);
    if (v->failed_damaged > 0)
        add_number(&table, "failed builds damaged", v->failed_damaged);
    code = table_write(&table, tool);
    table_fini(&table);
    return code;
}

static void write_json(const struct verification *v, struct tool *tool)
{
    struct json json;
    tool_json_begin(&json, tool, "verify");
    json_number(&json, "intact", v->intact);
    json_number(&json, "intact_blob_bytes", v->bytes);
    json_number(&json, "damaged", count_of(v, problem_damaged));
    json_number(&json, "unsigned", count_of(v, problem_unsigned));
    json_number(&json, "foreign", count_of(v, problem_foreign));
    json_number(&json, "newer", v->newer);
    json_number(&json, "removed", v->removed);
    json_number(&json, "failed_builds_damaged", v->failed_damaged);
    findings_write_json(&v->findings, &json);
    json_end_object(&json);
}

static void advise(const struct verification *v, struct tool *tool)
{
    const struct options *options = tool->options;
    bool whole = false;
    for (size_t i = 0; i < v->findings.count; i++)
        whole = whole || finding_is_of_the_whole(v->findings.items[i].place);
    if (whole)
        tool_error(tool, "the whole store is damaged: %s",
                options->repair ? "it was emptied"
                                : "dnnl-cache verify --repair empties it");
    if (!options->repair
            && count_of(v, problem_damaged) + count_of(v, problem_foreign)
                               + v->failed_damaged
                       > 0)
        tool_warn(tool, "damage found: dnnl-cache verify --repair removes it");
    if (options->repair && options->unsigned_too) return;
    if (v->of_encryption > 0)
        tool_warn(tool,
                "%" PRIu64 " entries are of another encryption key than this "
                "URL's, or not encrypted: dnnl-cache copy to this URL puts "
                "them "
                "as it says, from one that reads them (with their key as "
                "old_encryption_key_file, or with no key); verify --repair "
                "--unsigned removes them",
                v->of_encryption);
    if (count_of(v, problem_unsigned) > v->of_encryption)
        tool_warn(tool,
                "entries without a signature of this key are intact: is this "
                "the right key file? dnnl-cache copy puts them again with this "
                "key, verify --repair --unsigned removes them");
}

static int run_verify(struct tool *tool)
{
    struct verification v = {.tool = tool};
    uint64_t total = 0;
    if (tool->options->unsigned_too && !tool->options->repair) {
        tool_error(tool, "verify: --unsigned goes with --repair");
        return (int)exit_usage;
    }
    enum tool_exit code = tool_open(tool, tool_access_check);
    if (code == exit_ok && progress_is_shown(tool))
        (void)dnnl_cache_store_iterate(tool->store, catalog_count_one, &total);
    if (code == exit_ok) code = read_all(&v, total, note_bytes);
    /* A server's store has said all of it once. */
    tool->is_hushed = place_is_remote(tool->options);
    if (code == exit_ok && has_key(&v) && v.findings.count > 0)
        code = tell_unsigned(&v, total);
    if (code == exit_ok) code = check_blobs(&v, total);
    if (code == exit_ok && tool->options->repair) code = repair(&v);
    if (code == exit_ok)
        v.failed_damaged = failed_builds_verify(tool, tool->options->repair);
    tool->is_hushed = false;
    if (code == exit_ok && tool->options->json) write_json(&v, tool);
    if (code == exit_ok && tool_reports(tool)) code = write_text(&v, tool);
    if (code == exit_ok && v.findings.count + v.failed_damaged > 0) {
        code = exit_found;
        advise(&v, tool);
    }
    findings_fini(&v.findings);
    return (int)code;
}

static const char verify_help[] =
        "An entry is damaged if its bytes changed after it was written, "
        "and\nforeign if its blob has another ID. Blobs of a newer format are "
        "only\ncounted. With --key, or a key in a URL, intact entries that "
        "are not\nof this key are reported as unsigned; --repair leaves them, "
        "and copy\nonto them replaces them.\nThe exit status is 1 if anything "
        "was found, removed or not.\n";

const struct command command_verify = {.name = "verify",
        .arguments = "",
        .purpose = "Read every entry and report damage",
        .details = verify_help,
        .options = "repair unsigned",
        .takes_url = true,
        .run = run_verify};
