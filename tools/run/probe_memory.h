/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe_memory.h: answers of processes that were started to find something out,
 * for a day, so that each start of dnnl-cache-run does not start them again.
 *
 * An answer is found under a key alone, a text with all that it depends on:
 * files by their path, device, inode, size and times, variables of the
 * environment, the working directory. It is kept in a file of this user's
 * (mode 0600, with a checksum) in $XDG_CACHE_HOME/dnnl_cache_loaders, or else
 * in $HOME/.cache/dnnl_cache_loaders. DNNL_CACHE_FILE_DIGESTS=0: nothing is
 * kept. If anything is odd, there is no answer. All of it may be removed.
 */
#ifndef DNNL_CACHE_TOOLS_RUN_PROBE_MEMORY_H
#define DNNL_CACHE_TOOLS_RUN_PROBE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* From now on; before, nothing is found or kept. */
void probe_memory_use(void);

struct probe_key {
    const char *what; /* static */
    char *text;
    size_t size;
    FILE *stream;
    bool is_usable; /* false: memory ran out, a file was changed just now, or
                     * not all that decides is in the text */
};

/* what: a word for what is asked, static; answers to other questions are in
 * other files. The variables and the working directory of this process are
 * added. */
void probe_key_init(struct probe_key *key, const char *what);
/* A file or folder, there or not. */
void probe_key_add_file(struct probe_key *key, const char *path);
/* Where the dynamic linker looks for libraries. */
void probe_key_add_folders(struct probe_key *key);
/* Something that no key shows decides: nothing is found or kept. */
void probe_key_refuse(struct probe_key *key);
/* The line that was added last, with its end; NULL: the key cannot be used. */
const char *probe_key_last_line(struct probe_key *key);
bool probe_key_ends_with(struct probe_key *key, const char *line);
void probe_key_fini(struct probe_key *key);

/* The answer as text, which the caller frees; NULL: there is none. */
char *probe_memory_find(struct probe_key *key);
void probe_memory_keep(struct probe_key *key, const char *answer);

#endif /* DNNL_CACHE_TOOLS_RUN_PROBE_MEMORY_H */
