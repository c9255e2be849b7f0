/* SPDX-License-Identifier: Apache-2.0 */
/*
 * proof.h: is an entry what the driver makes of its program now?
 *
 * Two blobs of one ID are compared: the entry, and what a worker has compiled
 * again. Of drivers whose binaries are the same bytes each time, by bytes. A
 * binary of PoCL has machine code for other launches at each time, a folder's
 * name and build-ids: of it the kernels, what it says of their arguments, and
 * the machine code that both have are compared. Of the layer's entries also all
 * that the driver answered about kernels and arguments.
 */
#ifndef DNNL_CACHE_TOOLS_COMMON_PROOF_PROOF_H
#define DNNL_CACHE_TOOLS_COMMON_PROOF_PROOF_H

#include "tools/common/id/facts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum proof_verdict {
    proof_open, /* it cannot be told: what says why */
    proof_same,
    proof_differs
};

/* Of which kind the ingredient is that the ID may lack. */
enum proof_suspect {
    suspect_any,
    suspect_driver, /* the binary is another driver's, or version's */
    suspect_source, /* source, headers or options */
    suspect_code    /* what comes after the intermediate code */
};

struct proof {
    enum proof_verdict verdict;
    enum proof_suspect suspect;
    const char *what; /* static: what differs, or was not compared */
    char where[160];  /* the kernel, and the launches; "": no kernel */
    size_t functions; /* pieces of machine code that are the same in both */
};

struct proof_blob {
    size_t size;
    const uint8_t *bytes;
};

/* Both are intact blobs of programs with the same ID. is_layers: of the
 * layer. */
void proof_compare(struct proof *proof, const struct proof_blob *entry,
        const struct proof_blob *again, bool is_layers);

/* Has the entry machine code of PoCL's for all launches? */
bool proof_has_code_for_all(const struct proof_blob *entry);

/* Has the entry a finalised form beside the driver's binary? What is compiled
 * again needs one, too. */
bool proof_has_form(const struct proof_blob *entry);

/* What the suspect is, in words that follow "the ID may lack". */
const char *proof_suspect_text(enum proof_suspect suspect);

/* ---- Parts of it --------------------------------------------------------- */

/* Two binaries of which the first is PoCL's. */
void proof_compare_pocl(struct proof *proof, const struct proof_blob *entry,
        const struct proof_blob *again);

/* Are two shared objects the same, but for their notes (build-ids), and for
 * sections and symbols that nobody loads? */
enum proof_code { proof_code_same, proof_code_differs, proof_code_no_memory };
enum proof_code proof_compare_code(
        const struct proof_blob *entry, const struct proof_blob *again);

/* What the driver answered. False: it differs, and the proof says in what.
 * is_pocls: the driver is PoCL. */
bool proof_compare_facts(struct proof *proof, const struct facts *entry,
        const struct facts *again, bool is_pocls);

/* Sets the verdict and returns false. */
bool proof_find(struct proof *proof, enum proof_suspect suspect,
        const char *what, const char *where);

#endif /* DNNL_CACHE_TOOLS_COMMON_PROOF_PROOF_H */
