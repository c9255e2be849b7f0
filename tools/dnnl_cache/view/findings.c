/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/view/findings.h"

#include "src/common/array.h"
#include "tools/dnnl_cache/base/table.h"

#include <stdlib.h>
#include <string.h>

static void finding_fini(struct finding *finding)
{
    free(finding->place);
    free(finding->reason);
    free(finding->id);
}

void findings_fini(struct findings *findings)
{
    for (size_t i = 0; i < findings->count; i++)
        finding_fini(&findings->items[i]);
    free(findings->items);
    *findings = (struct findings){.items = NULL};
}

struct finding *findings_add(struct findings *findings, enum problem problem,
        const char *place, const char *reason, size_t id_size,
        const uint8_t *id)
{
    if (!array_grow(&findings->items, findings->count, sizeof *findings->items))
        return NULL;
    struct finding *f = &findings->items[findings->count];
    *f = (struct finding){.problem = problem, .id_size = id_size};
    if (place != NULL) f->place = strdup(place);
    if (reason != NULL) f->reason = strdup(reason);
    if (id != NULL) {
        entry_name(f->name, id_size, id);
        f->id = malloc(id_size);
        if (f->id != NULL) memcpy(f->id, id, id_size);
    }
    if ((place != NULL && f->place == NULL)
            || (reason != NULL && f->reason == NULL)
            || (id != NULL && f->id == NULL)) {
        finding_fini(f);
        return NULL;
    }
    findings->count++;
    return f;
}

struct finding *findings_at(struct findings *findings, const char *place)
{
    for (size_t i = 0; i < findings->count; i++) {
        const size_t at = (findings->next + i) % findings->count;
        struct finding *f = &findings->items[at];
        if (f->place == NULL || strcmp(f->place, place) != 0) continue;
        findings->next = at + 1;
        return f;
    }
    return NULL;
}

bool findings_have(const struct findings *findings, enum problem problem,
        size_t id_size, const uint8_t *id)
{
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *f = &findings->items[i];
        if (f->problem == problem && f->id != NULL && f->id_size == id_size
                && memcmp(f->id, id, id_size) == 0)
            return true;
    }
    return false;
}

uint64_t findings_count(const struct findings *findings, enum problem problem)
{
    uint64_t count = 0;
    for (size_t i = 0; i < findings->count; i++)
        count += findings->items[i].problem == problem;
    return count;
}

bool finding_is_of_the_whole(const char *place)
{
    static const char prefix[] = "database/";
    return place != NULL && strncmp(place, prefix, sizeof prefix - 1) == 0;
}

/* ---- Output -------------------------------------------------------------- */

static const char *problem_name(enum problem problem)
{
    return problem == problem_damaged    ? "damaged"
           : problem == problem_unsigned ? "unsigned"
                                         : "foreign";
}

static const char *reason_of(const struct finding *finding)
{
    if (finding->reason != NULL) return finding->reason;
    if (finding->problem == problem_unsigned) return "not signed with this key";
    if (finding->problem == problem_foreign) return "has another ID";
    return finding_is_of_the_whole(finding->place)
                   ? "the whole store: a repair empties it"
                   : "changed after it was written";
}

enum tool_exit findings_write_table(
        const struct findings *findings, struct tool *tool)
{
    struct table table;
    table_init_plain(&table, 4);
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *f = &findings->items[i];
        table_add(&table, problem_name(f->problem));
        if (f->name[0] != '\0')
            table_add_bytes(&table, f->name, catalog_short_digits);
        else
            table_add(&table, "-");
        table_add(&table, f->place != NULL ? f->place : "-");
        table_add(&table, reason_of(f));
    }
    const enum tool_exit code = table_write(&table, tool);
    table_fini(&table);
    return code;
}

void findings_write_json(const struct findings *findings, struct json *json)
{
    json_begin_array(json, "findings");
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *f = &findings->items[i];
        json_begin_object(json, NULL);
        json_text(json, "problem", problem_name(f->problem));
        json_text(json, "name", f->name[0] != '\0' ? f->name : NULL);
        json_text(json, "place", f->place);
        json_text(json, "reason", reason_of(f));
        json_end_object(json);
    }
    json_end_array(json);
}
