/* SPDX-License-Identifier: Apache-2.0 */
/*
 * directory_store.h: what stores without an index share.
 *
 * Such a store knows how many bytes it has, from a small file, and nothing
 * else: who wants to know more walks through the directory. That is done when
 * room is needed, and a third or half of the capacity is freed then, so it is
 * seldom; when entries may be too old; and when the recorded size cannot be
 * believed. A put reads nothing but its own entry.
 *
 * The small file, the size file, is the writers' lock too, and it is changed in
 * place: while a writer changes anything it says that it does not know the
 * size, so that after a writer's death the next one walks and counts.
 *
 * flat_layout.c and tree_layout.c say what the files of a store are; this part
 * is all they have in common. Functions that return an int give 0 or an errno
 * value.
 */
#ifndef DNNL_CACHE_STORES_DIRECTORY_STORE_H
#define DNNL_CACHE_STORES_DIRECTORY_STORE_H

#include "store_fs.h"
#include "store_internal.h"

/* Where an entry is; what the numbers mean is the layout's business. */
struct directory_slot {
    uint64_t group[4];
    uint32_t number;
};

enum { directory_path_size = 128 };

struct directory_layout;

/* Fixed after open. */
struct directory_store {
    struct dnnl_cache_store_handle
            base; /* first: a store's user pointer is the store */
    const struct directory_layout *layout;
    unsigned variant; /* the layout's own */
    int root_fd;      /* -1: capacity off. The number stays, what it refers to
                       * is exchanged when the directory is made anew. */
    bool read_only;   /* asked for, or all that is allowed */
};

/* A look-up of one ID. */
struct directory_lookup {
    struct directory_store *store;
    size_t id_size;
    const uint8_t *id;
    uint8_t *blob; /* found: the caller frees it */
    size_t size;
    struct directory_slot slot;
    unsigned damaged; /* entries met that were */
};

/* What a walk learns of an entry. item.id stays NULL. */
struct directory_entry {
    struct directory_slot slot;
    uint64_t bytes; /* of all its files */
    struct dnnl_cache_store_item item;
    bool complete; /* else some of it is missing, or is no plain file */
};

/* A writer's turn; belongs to one thread. */
struct directory_transaction {
    struct directory_store *store;
    int root_fd; /* borrowed */
    int lock_fd; /* the size file */
    int tmp_fd;  /* <path>/.tmp; -1 until something is changed */
    uint64_t bytes;
    bool marked; /* the size file says that we are at work */
    bool broken; /* bytes may be wrong: the size file keeps its mark */
    /* Something damaged was met, and nobody knows how many bytes it once had:
     * count again at the end. */
    bool suspect;
};

/* What is to be published, and where. */
struct directory_place {
    struct directory_slot slot;
    uint64_t old_bytes; /* of what it replaces */
    bool replace;
    size_t id_size;
    const uint8_t *id;
    struct store_part blob;
    struct store_part tail;
};

struct directory_layout {
    /* The size file's name and largest size. read: EBADMSG if it does not tell
     * the size. mark: it does not, from now on. It is open at fd. */
    const char *size_file;
    uint64_t size_file_bytes;
    int (*size_read)(uint64_t *bytes, int fd, int root_fd);
    int (*size_mark)(int fd);
    int (*size_write)(uint64_t bytes, int fd, int root_fd);

    /* What an entry takes besides its ID, its blob and the tail. */
    uint64_t extra_bytes;

    /* ---- Without the lock ---- */

    /* Finds and checks a blob. 0, ENOENT or a failure. */
    int (*look_up)(struct directory_lookup *lookup);
    /* Finds the entry that has this ID, its blob intact or not. 0, ENOENT or a
     * failure. */
    int (*find)(struct directory_slot *slot,
            const struct directory_store *store, size_t id_size,
            const uint8_t *id);
    /* Visits all entries until visit returns another value than 0, which is
     * returned. */
    int (*for_each)(const struct directory_store *store,
            int (*visit)(void *user, const struct directory_slot *slot),
            void *user);
    /* 0, ENOENT or a failure. Reads no more than the policy asks for. */
    int (*measure)(struct directory_entry *entry,
            const struct directory_store *store,
            const struct directory_slot *slot);
    /* As store_item; the caller frees *id, which is item->id. 0, ENOENT,
     * EBADMSG or a failure. */
    int (*read_item)(struct dnnl_cache_store_item *item, uint8_t **id,
            const struct directory_store *store,
            const struct directory_slot *slot);
    /* The ID alone, if it belongs to that place, whatever the blob's state. The
     * caller frees *id. 0, ENOENT, EBADMSG or a failure. */
    int (*read_id)(uint8_t **id, size_t *id_size,
            const struct directory_store *store,
            const struct directory_slot *slot);
    /* Reads all of an entry: *size of its blob. 0, ENOENT, EBADMSG or a
     * failure. */
    int (*check)(size_t *size, const struct directory_store *store,
            const struct directory_slot *slot);
    /* Notes that the entry is used now, if that can be noted. */
    void (*stamp)(const struct directory_store *store,
            const struct directory_slot *slot);
    /* Removes empty directories that dead writers left. NULL: there are none.
     * Needs the lock. 0 if there are none now. */
    int (*prune)(const struct directory_store *store);
    void (*path)(char path[directory_path_size],
            const struct directory_store *store,
            const struct directory_slot *slot);

    /* ---- With the lock ---- */

    /* Says where the ID's entry is or is to be, and takes away what is damaged
     * there. */
    int (*choose_place)(
            struct directory_transaction *t, struct directory_place *place);
    /* Publishes an entry. If it fails nothing was published. */
    int (*publish)(struct directory_transaction *t,
            const struct directory_place *place);
    /* Takes an entry's files away. ENOENT if there are none, EAGAIN if somebody
     * holds a lock on them. */
    int (*discard)(
            struct directory_transaction *t, const struct directory_slot *slot);
};

/* Opens a store of this layout; the rest is as dnnl_cache_store_open_bucket().
 */
dnnl_status_t directory_store_open(struct dnnl_cache_store_handle **store,
        const struct dnnl_cache_store_options *options,
        const struct directory_layout *layout, unsigned variant);

bool directory_is_off(const struct directory_store *store);

/* For look_up: this entry was met, and is damaged. */
void directory_report_damage(
        struct directory_lookup *lookup, const struct directory_slot *slot);

/* ---- directory_transaction.c
 * -------------------------------------------------- */

/* Waits for the turn at most timeout_ms, makes the directory anew if it is
 * gone, and walks through it if the size file does not tell the size. 0,
 * ETIMEDOUT or another errno value; after 0, end it. */
int directory_begin(struct directory_transaction *t,
        struct directory_store *store, unsigned timeout_ms);

/* Ends the turn: writes the size file and frees the lock. */
void directory_end(struct directory_transaction *t);

/* Comes before every change of the store. */
int directory_start(struct directory_transaction *t);

/* Takes an entry away, with what it has of the size. As discard. */
int directory_take_away(
        struct directory_transaction *t, const struct directory_slot *slot);

/* For layouts: takes a name away, with what is below it; ENOENT if there is
 * none. */
int directory_discard_name(
        struct directory_transaction *t, int dirfd, const char *name);

/* For layouts: writes a file in .tmp and renames it. */
int directory_publish_file(struct directory_transaction *t, int dirfd,
        const char *name, const struct store_part *parts, size_t count);

/* What is published stays published if only the syncing fails. */
void directory_sync_directory(const struct directory_transaction *t, int fd);

/* ---- directory_evict.c
 * -------------------------------------------------------- */

/* Walks through the store: counts it, and takes away what is incomplete. */
int directory_recount(struct directory_transaction *t);

/* Evicts entries by the store's policy until so many bytes more are within the
 * capacity. ERANGE if that can never be, EDQUOT if the policy is none. */
int directory_make_room(struct directory_transaction *t, uint64_t bytes);

/* Evicts down to so many bytes; *removed grows. */
int directory_shrink(
        struct directory_transaction *t, uint64_t max_bytes, uint64_t *removed);

/* Removes entries that are older; *removed (may be NULL) grows. */
int directory_expire(struct directory_transaction *t, uint64_t max_age_seconds,
        uint64_t *removed);

/* Is there anything for directory_expire() to do? Needs no lock. */
bool directory_has_expired(
        struct directory_store *store, uint64_t max_age_seconds);

/* trim and verify of struct store_class. */
dnnl_status_t directory_trim(struct dnnl_cache_store_handle *base,
        uint64_t max_bytes, uint64_t max_age_seconds, uint64_t *removed);
dnnl_status_t directory_verify(struct dnnl_cache_store_handle *base,
        bool repair,
        bool (*progress)(
                void *user, const struct dnnl_cache_store_verdict *verdict),
        void *user, struct dnnl_cache_store_check *check);

/* ---- directory_calls.c: the callbacks of dnnl_cache_store_t
 * ------------------- */

dnnl_status_t directory_get(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob);
void directory_release(void *user, size_t size, const uint8_t *blob);
dnnl_status_t directory_put(void *user, size_t id_size, const uint8_t *id,
        size_t size, const uint8_t *blob,
        const dnnl_cache_store_metadata_t *metadata);
dnnl_status_t directory_remove(void *user, size_t id_size, const uint8_t *id);

#endif /* DNNL_CACHE_STORES_DIRECTORY_STORE_H */
