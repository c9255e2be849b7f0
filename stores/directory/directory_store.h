/* SPDX-License-Identifier: Apache-2.0 */
/*
 * directory_store.h: the stores that keep their entries as files of a
 * directory.
 *
 * Bucket, tree and flat differ in the names and the contents of their files. A
 * layout, a table of functions, describes those. Everything else is in the
 * directory_*.c files, once: the calls, the write lock, the recorded size,
 * eviction, trimming and verification.
 *
 * The size file records the bytes of all entries. Writers lock the lock file
 * and mark it while they change the store. If a writer dies, the mark stays,
 * and the next writer reads the directory and counts.
 *
 * A layout may have an index (directory_index.h), which lists all entries in
 * order of creation. Then the index is the lock file, and eviction does not
 * read the directory. Without an index the size file is the lock file, and
 * eviction reads the directory; it frees a third or half of the capacity at
 * once, so it is rare. A put reads only its own entry.
 *
 * Functions that return an int give 0 or an errno value.
 */
#ifndef DNNL_CACHE_STORES_DIRECTORY_DIRECTORY_STORE_H
#define DNNL_CACHE_STORES_DIRECTORY_DIRECTORY_STORE_H

#include "stores/core/store_internal.h"
#include "stores/core/store_trailer.h"
#include "stores/directory/directory_index.h"
#include "stores/files/store_file.h"
#include "stores/files/store_names.h"

enum { directory_path_size = 128 };

struct directory_layout;

/* What the caller has. Fixed after open. */
struct directory_handle {
    dnnl_cache_store_handle_t
            base; /* first: a store's user pointer is the store */
    const struct directory_layout *layout;
    unsigned variant;        /* the layout's own */
    struct store_root *root; /* NULL: capacity off */
    bool read_only;          /* asked for, or all that is allowed */
};

/* The store during one call, which has the root open. */
struct directory_store {
    dnnl_cache_store_handle_t *base;
    const struct directory_layout *layout;
    unsigned variant;
    struct store_root *root;
    int root_fd;
    bool read_only;
};

/* A look-up of one ID. */
struct directory_lookup {
    struct directory_store *store;
    size_t id_size;
    const uint8_t *id;
    bool whole;    /* not found unless all of the entry is intact */
    uint8_t *blob; /* found: the caller frees it */
    size_t size;
    struct directory_slot slot;
    unsigned damaged; /* entries met that were */
};

/* What is known of an entry without reading its blob. item.id stays NULL. */
struct directory_entry {
    struct directory_slot slot;
    uint64_t bytes; /* of all its files */
    struct dnnl_cache_store_entry item;
    bool complete; /* else some of it is missing: it is no entry, and goes when
                    * the store is counted */
};

/* The write lock, held by one thread. */
struct directory_transaction {
    struct directory_store *store;
    int root_fd;  /* borrowed */
    int lock_fd;  /* the lock file */
    int claim_fd; /* the root's lock, while the lock file is made; -1: not */
    int tmp_fd;   /* <path>/.tmp; -1 until something is changed */
    struct directory_index index; /* of a layout that has one */
    uint64_t bytes;    /* of all entries; with an index that knows it */
    uint64_t recorded; /* with an index: what the size file says; UINT64_MAX:
                        * nothing */
    bool marked;       /* the lock file says that the store is being changed */
    bool broken;       /* bytes may be wrong: that mark stays */
    bool counted;      /* the directory was read since the lock was taken */
    bool makes_room;   /* what is evicted now goes since the store is full */
    bool knows_clock;
    struct store_clock clock; /* once it is known: directory_clock() */
    /* Something damaged was met, and nobody knows how many bytes it once had:
     * count again at the end. */
    bool suspect;
};

/* What is to be published, and where. */
struct directory_place {
    struct directory_slot slot;
    uint64_t bytes;     /* of all its files */
    uint64_t old_bytes; /* of what it replaces */
    uint64_t created_ns;
    bool replace;
    size_t id_size;
    const uint8_t *id;
    struct file_part blob;
    struct file_part tail;
};

/* Visits a slot; another value than 0 ends the visits and is returned. */
typedef int directory_visit(void *user, const struct directory_slot *slot);

struct directory_layout {
    const struct store_defaults *defaults; /* of the options */
    bool has_index;
    /* The file that writers lock, and the one with the size of all entries, the
     * same without an index. */
    const char *lock_file;
    const char *size_file;
    uint64_t size_file_bytes; /* at most, while one replaces another as well */
    /* EBADMSG if the file, open at fd, does not tell the size. */
    int (*size_read)(uint64_t *bytes, int fd, int root_fd);
    /* Without an index: from now on the file does not tell, and it does. */
    int (*size_mark)(int fd);
    int (*size_write)(uint64_t bytes, int fd, int root_fd);

    /* What an entry takes besides its ID, its blob and the tail. */
    uint64_t extra_bytes;

    /* ---- Without the lock ---- */

    /* Finds and checks a blob. 0, ENOENT or a failure. */
    int (*look_up)(struct directory_lookup *lookup);
    /* Finds an entry that is this ID's, its blob intact or not. 0, ENOENT or a
     * failure. */
    int (*find)(struct directory_slot *slot,
            const struct directory_store *store, size_t id_size,
            const uint8_t *id);
    /* Visits all entries. With the lock, which is a count, t is not NULL: of a
     * layout with an index empty directories go then, and what may not be read
     * is EACCES. Else it is passed over. */
    int (*for_each)(const struct directory_store *store, directory_visit *visit,
            void *user, const struct directory_transaction *t);
    /* 0, ENOENT or a failure. Reads no more than the policy asks for. */
    int (*measure)(struct directory_entry *entry,
            const struct directory_store *store,
            const struct directory_slot *slot);
    /* With an index: the item but for its ID. 0, ENOENT, EBADMSG or a
     * failure. */
    int (*read_times)(struct dnnl_cache_store_entry *item,
            const struct directory_store *store,
            const struct directory_slot *slot);
    /* The whole item; the caller frees *id, which is item->id. 0, ENOENT,
     * EBADMSG or a failure. */
    int (*read_item)(struct dnnl_cache_store_entry *item, uint8_t **id,
            const struct directory_store *store,
            const struct directory_slot *slot);
    /* The ID alone, if it belongs to that place, whatever the blob's state. The
     * caller frees *id. 0, ENOENT, EBADMSG or a failure. */
    int (*read_id)(uint8_t **id, size_t *id_size,
            const struct directory_store *store,
            const struct directory_slot *slot);
    /* Reads all of an entry: *size of its blob. 0, ENOENT, EBADMSG, ENODEV
     * (what is there is a stranger's) or a failure. */
    int (*check)(size_t *size, const struct directory_store *store,
            const struct directory_slot *slot);
    /* Notes that the entry is used now, if that can be noted. */
    void (*note_use)(const struct directory_store *store,
            const struct directory_slot *slot);
    /* Notes that it was used then; 0 or an errno value. */
    int (*set_use)(const struct directory_store *store,
            const struct directory_slot *slot, uint64_t used_ns);
    void (*path)(
            char path[directory_path_size], const struct directory_slot *slot);

    /* ---- With the lock ---- */

    /* Removes empty directories that dead writers left, if for_each does not,
     * and, with repair, what has a directory's name and is none. NULL: there
     * are none. 0 if there are none now. */
    int (*prune)(struct directory_transaction *t, bool repair);
    /* Says where the ID's entry is or is to be, and takes away what is damaged
     * there. */
    int (*choose_place)(
            struct directory_transaction *t, struct directory_place *place);
    /* Publishes an entry. If it fails nothing was published. With an index it
     * calls directory_index_place(). */
    int (*publish)(struct directory_transaction *t,
            const struct directory_place *place);
    /* Takes an entry's files away. ENOENT if there are none, EAGAIN if somebody
     * holds a lock on them. */
    int (*discard)(
            struct directory_transaction *t, const struct directory_slot *slot);
};

/* Opens a store of this layout; the rest is as
 * dnnl_cache_store_open(). */
dnnl_status_t directory_store_open(dnnl_cache_store_handle_t **store,
        const struct dnnl_cache_store_options *options,
        const struct directory_layout *layout, unsigned variant);

bool directory_is_off(const struct directory_handle *handle);

/* Begins a call: opens the root, with make anew if it was removed. 0, ENOENT,
 * EPERM (the log has been told) or another errno value; then there is nothing
 * to leave. */
int directory_enter(struct directory_store *store,
        const struct directory_handle *handle, bool make);
void directory_leave(const struct directory_store *store);

/* The size that is recorded. 0, EBADMSG if there is none, or a failure. */
int directory_read_size(uint64_t *bytes, const struct directory_store *store);

/* ---- directory_transaction.c --------------------------------------------- */

/* Waits for the write lock at most timeout_ms, makes the directory anew if it
 * is gone, and counts if the recorded size cannot be believed. 0, ETIMEDOUT or
 * another errno value; after 0, end it. */
int directory_begin(struct directory_transaction *t,
        struct directory_store *store, unsigned timeout_ms);

/* Records the size and frees the lock. */
void directory_end(struct directory_transaction *t);

/* Comes before every change of the store. */
int directory_start(struct directory_transaction *t);

/* Bytes of all entries. */
uint64_t directory_bytes(const struct directory_transaction *t);

/* Takes an entry away, with what is recorded of it. As discard. */
int directory_take_away(
        struct directory_transaction *t, const struct directory_slot *slot);

/* For layouts with an index, before what is published has its name: the index
 * may not find room on a full disk. If publishing fails after this,
 * t->broken is to be set. */
int directory_index_place(
        struct directory_transaction *t, const struct directory_place *place);

/* For layouts: takes a name away, with what is below it; ENOENT if there is
 * none. */
int directory_discard_name(
        struct directory_transaction *t, int dirfd, const char *name);

/* For layouts: writes a file in .tmp and renames it. */
int directory_publish_file(struct directory_transaction *t, int dirfd,
        const char *name, const struct file_part *parts, size_t count);

/* What is published stays published if only the syncing fails. */
void directory_sync(const struct directory_transaction *t, int fd);

/* ---- directory_evict.c --------------------------------------------------- */

/* Reads the directory: counts all entries, takes away what is incomplete, makes
 * the index anew. */
int directory_recount(struct directory_transaction *t);

/* Evicts entries by the store's policy until so many bytes more are within the
 * capacity. ERANGE if that can never be, STORE_IS_FULL if the policy is none.
 */
int directory_make_room(struct directory_transaction *t, uint64_t bytes);

/* Evicts down to so many bytes; *removed grows. */
int directory_shrink(
        struct directory_transaction *t, uint64_t max_bytes, uint64_t *removed);

/* Removes entries that are older; *removed grows. */
int directory_expire(struct directory_transaction *t, uint64_t max_age_seconds,
        enum store_ages ages, uint64_t *removed);

/* Is there anything for directory_expire() to do, by use? Needs no lock. With
 * an index it is left to directory_expire(), which looks there first. */
bool directory_has_expired(
        struct directory_store *store, uint64_t max_age_seconds);

/* What the store remembers of the clock, read once in a transaction. */
const struct store_clock *directory_clock(struct directory_transaction *t);

/* What the store's own files take, without an index. */
uint64_t directory_fixed_bytes(const struct directory_layout *layout);

/* For store_used.h: an entry's key, and that it was evicted. */
uint64_t directory_slot_key(const struct directory_slot *slot);
void directory_note_eviction(const struct directory_transaction *t,
        const struct directory_slot *slot);

/* All files of the store, with so many bytes more and one more entry. */
uint64_t directory_total_with(
        const struct directory_transaction *t, uint64_t bytes);

/* Evicts those of lowest rank, all entries considered, until the rest with
 * bytes more is at most `most`; none if it is within `enough`. ERANGE if that
 * was not to be, or with an index if none was there to go. */
int directory_evict_by_rank(struct directory_transaction *t, uint64_t bytes,
        uint64_t most, uint64_t enough, uint64_t *evicted);

/* ---- directory_evict_indexed.c: with an index ---------------------------- */

/* Reads the rank of an entry that the index knows, and when it was used; -1
 * if it is damaged or gone. 0, or an error that is our trouble, not the
 * entry's. */
int directory_weigh(double *rank, uint64_t *used_ns,
        struct directory_transaction *t, const struct directory_slot *slot,
        uint64_t now_ns);

/* Makes room by the index. */
int directory_evict_indexed(struct directory_transaction *t, uint64_t bytes,
        uint64_t most, uint64_t *evicted);

/* Evicts the oldest entry, by creation. ERANGE if there is none. */
int directory_evict_oldest(struct directory_transaction *t, uint64_t *evicted);

/* May any entry be older than that time? By the creation of the oldest. */
bool directory_may_be_older(
        struct directory_transaction *t, uint64_t now_ns, uint64_t limit_ns);

/* ---- directory_verify.c: trim and verify of struct store_calls ----------- */

dnnl_status_t directory_trim(dnnl_cache_store_handle_t *base,
        uint64_t max_bytes, uint64_t max_age_seconds, enum store_ages ages,
        uint64_t *removed);
dnnl_status_t directory_verify(dnnl_cache_store_handle_t *base, bool repair,
        dnnl_cache_store_verify_callback_t progress, void *user,
        struct dnnl_cache_store_check *check);

/* ---- directory_calls.c: the callbacks of dnnl_cache_store_t -------------- */

/* For look_up: how much of a blob is checked. */
enum store_depth directory_depth(const struct directory_lookup *lookup);

/* For look_up: this entry was met, and is damaged. */
void directory_report_damage(
        struct directory_lookup *lookup, const struct directory_slot *slot);

dnnl_status_t directory_get(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob);
void directory_release(void *user, size_t size, const uint8_t *blob);
dnnl_status_t directory_put(void *user, size_t id_size, const uint8_t *id,
        size_t size, const uint8_t *blob,
        const dnnl_cache_store_metadata_t *metadata);
dnnl_status_t directory_remove(void *user, size_t id_size, const uint8_t *id);
int directory_date_back(dnnl_cache_store_handle_t *base, size_t id_size,
        const uint8_t *id, uint64_t used_ns);

#endif /* DNNL_CACHE_STORES_DIRECTORY_DIRECTORY_STORE_H */
