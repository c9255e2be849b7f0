/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The section of finalised forms: a second form of a program's binary, or the
 * note that the binary is one itself. docs/how_it_works/finalisers.md says what
 * they are.
 */
#ifndef DNNL_CACHE_BLOB_FINALISED_H
#define DNNL_CACHE_BLOB_FINALISED_H

#include "src/blob/format.h"
#include "src/blob/reader.h"
#include "src/common/hash.h"

/* What binds a form to its program, so that no other program's form passes for
 * it: a hash of the entry before the binding, the program's ID, its binary as
 * stored, the finaliser's name and the form as stored. */
struct digest128 finalised_binding(
        const uint8_t *entry, const struct blob_program *program);

/* Verifies the section of a blob whose programs were read, and notes it in the
 * view. Statuses: those of blob_read(). */
dnnl_status_t finalised_read(struct blob_view *view, const uint8_t *data,
        size_t size, struct blob_reason *reason);

/* Fills in the finalised form of a program; none if it has none. */
void finalised_load(const struct blob_view *view, uint32_t index,
        struct blob_program *program);

#endif /* DNNL_CACHE_BLOB_FINALISED_H */
