/* SPDX-License-Identifier: Apache-2.0 */
/* findings.h: what verify found wrong, for people and for programs. */
#ifndef DNNL_CACHE_TOOLS_VIEW_FINDINGS_H
#define DNNL_CACHE_TOOLS_VIEW_FINDINGS_H

#include "tools/common/text/json.h"
#include "tools/dnnl_cache/base/tool.h"
#include "tools/dnnl_cache/view/catalog.h"

enum problem {
    problem_damaged,
    problem_unsigned, /* intact, but not signed with the key */
    problem_foreign   /* intact, but not the blob of its ID */
};

struct finding {
    enum problem problem;
    char name[catalog_name_size]; /* the entry's; "": its ID cannot be read */
    char *place;                  /* the store's word for it; NULL: not known */
    char *reason;                 /* of a foreign one, else NULL */
    size_t id_size;               /* 0: not known */
    uint8_t *id;
};

struct findings {
    struct finding *items;
    size_t count;
    size_t next; /* where findings_at() goes on looking */
};

void findings_fini(struct findings *findings);

/* NULL if memory ran out. The texts and the ID (NULL: none) are copied. */
struct finding *findings_add(struct findings *findings, enum problem problem,
        const char *place, const char *reason, size_t id_size,
        const uint8_t *id);

/* The one at a place; NULL if there is none. Fast if they are asked for in the
 * order in which they were added. */
struct finding *findings_at(struct findings *findings, const char *place);

/* Has an entry with this ID this problem? */
bool findings_have(const struct findings *findings, enum problem problem,
        size_t id_size, const uint8_t *id);

uint64_t findings_count(const struct findings *findings, enum problem problem);

/* Is it the whole of a pack, not an entry, that is damaged? */
bool finding_is_of_the_whole(const char *place);

enum tool_exit findings_write_table(
        const struct findings *findings, struct tool *tool);
/* An array "findings" of the object that was begun. */
void findings_write_json(const struct findings *findings, struct json *json);

#endif /* DNNL_CACHE_TOOLS_VIEW_FINDINGS_H */
