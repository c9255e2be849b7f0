/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.h: a place on disk where an application keeps cache blobs.
 *
 *     struct dnnl_cache_store_options options =
 *             DNNL_CACHE_STORE_OPTIONS_INIT;
 *     options.path = "/home/me/.cache/my_app";
 *     options.capacity = dnnl_cache_store_megabytes(256);
 *     dnnl_cache_store_handle_t *store;
 *     if (dnnl_cache_store_open(&store, "flat", &options) != dnnl_success) ...
 *     const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
 *     s->get(s->user, id_size, id, &size, &blob);     by hand, or
 *     dnnl_cache_engine_set_store(engine, s);         attached to an engine
 *     dnnl_cache_store_close(store);
 *
 * This is the interface of all stores. Those on disk are opened by the name of
 * their type (store_types.h); bucket_store.h, flat_store.h, tree_store.h and
 * pack_store.h say what each type has on the disk. A store is the library's
 * dnnl_cache_store_t (see store_callbacks.h for the contract of get, release,
 * put and remove) with limits, statistics and iteration around it.
 *
 * Every store may be used from any number of threads and processes at once. No
 * failure of a store is a failure of the application: an entry that is damaged,
 * unreadable or foreign is a miss, and the next put replaces it. Of a cache
 * blob a get verifies ID, size and header, and leaves the checksum of all its
 * bytes, which is in the header, to whoever loads or inspects the blob: the
 * library does so before anything else, and answers dnnl_cache_blob_corrupt.
 * All bytes are verified of what is not a cache blob, with a key_file, in a
 * chain, and by dnnl_cache_store_verify().
 *
 * Statuses of the four callbacks of every store
 *   get     dnnl_success; dnnl_cache_miss; dnnl_out_of_memory;
 *           dnnl_runtime_error (the file system failed, not just the entry).
 *   put     dnnl_success, also if the store decides not to keep the blob (off,
 *           read-only, too large, lock not free in time: the statistics say
 *           which); dnnl_out_of_memory; dnnl_runtime_error (disk full or
 *           failing: nothing was published, and an older blob of the same ID
 *           is still there).
 *   remove  dnnl_success, also if there is no entry; dnnl_out_of_memory;
 *           dnnl_runtime_error (read-only, lock not free in time, ...).
 *   All of them: dnnl_invalid_arguments for NULL or a size of 0.
 */
#ifndef DNNL_CACHE_STORE_H
#define DNNL_CACHE_STORE_H

#include "dnnl_cache/library.h"
#include "dnnl_cache/store_callbacks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default) /* what a shared library exports */
#endif

/* ---- Options ------------------------------------------------------------- */

/* For the capacity: no limit. */
#define DNNL_CACHE_STORE_UNLIMITED UINT64_MAX

/* Megabytes of 1024 * 1024 bytes in bytes, for the capacity; what is more than
 * 2^64 - 1 bytes is DNNL_CACHE_STORE_UNLIMITED. 0 is 0, and so the default of
 * the store's type; to keep nothing, set off. */
uint64_t dnnl_cache_store_megabytes(uint64_t megabytes);

/* What survives a power failure. With every choice, a crash of a process loses
 * at most the entry that it was writing, and damage is always detected. The
 * choice only decides how many entries are left after a power failure. */
enum dnnl_cache_store_durability {
    dnnl_cache_store_durability_none = 0,
    /* Files are synced before they are published. */
    dnnl_cache_store_durability_data = 1,
    /* Directories are synced, too, after publishing. */
    dnnl_cache_store_durability_data_and_directory = 2
};

/* A user that can write to a store can run code in each process that reads it.
 */
enum dnnl_cache_store_sharing {
    /* Directories 0700, files 0600; a directory that belongs to another user
     * than root, or that others may write to, is refused. */
    dnnl_cache_store_sharing_private = 0,
    /* Directories 0770, files 0660; any root is accepted. */
    dnnl_cache_store_sharing_group = 1
};

/* Which entry is evicted first. */
enum dnnl_cache_store_policy {
    dnnl_cache_store_policy_default = 0, /* that of the store's type */
    dnnl_cache_store_policy_fifo = 1,    /* the oldest entry */
    dnnl_cache_store_policy_lru = 2,     /* the least recently used entry */
    /* The entry that is cheapest to compile, relative to its size and the time
     * since its last use: many cheap entries do not evict an expensive one. */
    dnnl_cache_store_policy_cost = 3,
    dnnl_cache_store_policy_none = 4 /* none; a new one may not be kept */
};

/* For max_age_seconds: entries are not removed for their age. */
#define DNNL_CACHE_STORE_AGE_UNLIMITED UINT64_MAX

/* How a store is opened. Begin with DNNL_CACHE_STORE_OPTIONS_INIT: 0, NULL and
 * false are the defaults, which for some members depend on the store's type:
 *
 *     member              bucket, pack   flat        tree
 *     capacity            1024 MB        1024 MB     8192 MB
 *     policy              FIFO           LRU         LRU
 *     low_water_percent   100            66          50
 *     max_age_seconds     unlimited      unlimited   7 days
 *
 * Strings are copied. */
struct dnnl_cache_store_options {
    size_t struct_size; /* sizeof the struct */
    const char *path;   /* the root; created with its parents if missing */
    /* Limit in bytes for all files together; 0: the type's default. An empty
     * store takes 161 bytes (bucket), 136 (flat), 97 (tree) or 6 KiB (pack);
     * with a smaller capacity nothing is kept, and these bytes exceed it. */
    uint64_t capacity;
    uint64_t min_blob_bytes; /* smaller blobs are not kept; 0: no minimum */
    uint64_t max_blob_bytes; /* larger blobs are not kept; 0: 1 GiB */
    enum dnnl_cache_store_policy policy; /* which entry is evicted first */
    /* When room is needed, entries are evicted until this share of the
     * capacity, in percent, is in use: 1 to 100; 0: the type's default. With a
     * small value many entries are evicted at once, and then none for a
     * while. */
    unsigned low_water_percent;
    /* Maximum age in seconds, since the last use, or with FIFO and none since
     * the creation; 0: the type's default. Checked when the store is opened, as
     * by dnnl_cache_store_expire(). */
    uint64_t max_age_seconds;
    /* A file with a secret of 16 to 4096 bytes, readable by its owner only (see
     * dnnl_cache_store_key_file_make()). With a key every entry carries a keyed
     * checksum, and an entry without the correct one counts as damaged. Or a
     * file of dnnl_cache_store_key_pair_make(): with the secret key every entry
     * carries a signature; with the public one, which needs read_only, entries
     * without a signature of that pair count as damaged. NULL: no key. */
    const char *key_file;
    enum dnnl_cache_store_durability
            durability;                    /* what survives a power failure */
    enum dnnl_cache_store_sharing sharing; /* who may use the directory */
    unsigned lock_timeout_ms; /* longest wait for other writers; 0: 2 s, 1:
                                 hardly any */
    bool off; /* keep nothing: every get is a miss, the disk is not touched */
    bool read_only; /* never write, even where it would be allowed */
    /* The hash that distributes IDs over buckets. The stores compare whole IDs,
     * so a bad hash only costs time. For other hash functions, and for tests
     * that need collisions. All users of a directory must use the same hash.
     * NULL: XXH3-64. */
    uint64_t (*hash)(const void *data, size_t size);
    dnnl_cache_log_callback_t log; /* NULL: silent */
    void *log_user;                /* passed to log */
};

/* The initial value: struct_size is set, all else is 0. */
#define DNNL_CACHE_STORE_OPTIONS_INIT                                          \
    {                                                                          \
        sizeof(struct dnnl_cache_store_options), NULL, 0, 0, 0,                \
                dnnl_cache_store_policy_default, 0, 0, NULL,                   \
                dnnl_cache_store_durability_none,                              \
                dnnl_cache_store_sharing_private, 0, false, false, NULL, NULL, \
                NULL                                                           \
    }

/* Creates a key file with a new random secret and mode 0600; an existing file
 * is left unchanged. Statuses: dnnl_success; dnnl_invalid_arguments (NULL);
 * dnnl_runtime_error (the file exists or cannot be written; see errno). */
dnnl_status_t dnnl_cache_store_key_file_make(const char *path);

/* Creates the two files of a new signature key: the secret one with mode 0600,
 * for those that put entries into a remote store or make a seed, and the public
 * one with mode 0644, for those that read them. Existing files are left
 * unchanged. Statuses as above. */
dnnl_status_t dnnl_cache_store_key_pair_make(
        const char *secret_path, const char *public_path);

/* Creates a key file with mode 0600 for the encryption of a remote store
 * (encryption_key_file= of its URL). It makes no checksums or signatures, and
 * their keys do not encrypt. An existing file is left unchanged. Statuses as of
 * dnnl_cache_store_key_file_make(). Since 0.1.0. */
dnnl_status_t dnnl_cache_store_encryption_key_make(const char *path);

/* ---- A store ------------------------------------------------------------- */

/* An open store; the library's dnnl_cache_store_t is its callbacks. */
typedef struct dnnl_cache_store_handle dnnl_cache_store_handle_t;

/* Opens the store at options->path, creates it if it does not exist, and evicts
 * entries above the capacity or the age limit. What is not writable is opened
 * read-only. type: "bucket", "flat", "tree" or "pack". The caller closes the
 * store. Statuses: dnnl_success; dnnl_invalid_arguments (NULL, no type of this
 * name, invalid options); dnnl_out_of_memory; dnnl_runtime_error (the directory
 * or file cannot be created or opened, is not safe, or belongs to another
 * application). Messages to options->log say why; of an unknown type they list
 * the types that there are. */
dnnl_status_t dnnl_cache_store_open(dnnl_cache_store_handle_t **store,
        const char *type, const struct dnnl_cache_store_options *options);

/* The callbacks: owned by the store, valid until dnnl_cache_store_close(). */
const dnnl_cache_store_t *dnnl_cache_store_get_callbacks(
        const dnnl_cache_store_handle_t *store);

/* The callback get; for a miss, *damaged says whether a damaged entry was found
 * that may have this ID. Statuses and release as of get. */
dnnl_status_t dnnl_cache_store_find(const dnnl_cache_store_handle_t *store,
        size_t id_size, const uint8_t *id, size_t *size, const uint8_t **blob,
        bool *damaged);

/* Closes the store. What get() returned must have been released, and no other
 * thread may be using the store. NULL is allowed. */
void dnnl_cache_store_close(dnnl_cache_store_handle_t *store);

/* What this process did with the store since it opened it. */
struct dnnl_cache_store_statistics {
    size_t struct_size;      /* sizeof the struct */
    uint64_t hits;           /* blobs found */
    uint64_t misses;         /* blobs not found */
    uint64_t damaged;        /* entries found damaged, each time one was met */
    uint64_t puts;           /* blobs published */
    uint64_t puts_unchanged; /* the very blob was there already */
    uint64_t puts_off;       /* not kept: capacity off */
    uint64_t puts_read_only; /* not kept: read-only */
    uint64_t puts_too_small; /* not kept: below min_blob_bytes */
    uint64_t puts_too_large; /* not kept: above a limit all by itself */
    uint64_t puts_full;      /* not kept: no room, and the policy is none */
    uint64_t puts_lock_timeout; /* not kept: the lock was not free in time */
    uint64_t puts_failed;       /* not kept: the disk failed */
    uint64_t removes;           /* entries removed on request */
    uint64_t evictions;         /* entries removed to make room */
    uint64_t expired;           /* entries removed for their age */
    uint64_t recounts;          /* times the whole store was read to count it */
    uint64_t bytes; /* the store's recorded size now; 0 if not known */
    /* Not 0: entries that this process used were evicted to make room; with
     * this capacity none would have been. */
    uint64_t capacity_needed;
};

/* The initial value: struct_size is set, all else is 0. */
#define DNNL_CACHE_STORE_STATISTICS_INIT                                       \
    {                                                                          \
        sizeof(struct dnnl_cache_store_statistics), 0, 0, 0, 0, 0, 0, 0, 0, 0, \
                0, 0, 0, 0, 0, 0, 0, 0, 0                                      \
    }

/* Statuses: dnnl_success; dnnl_invalid_arguments (NULL, bad struct_size). */
dnnl_status_t dnnl_cache_store_get_statistics(
        const dnnl_cache_store_handle_t *store,
        struct dnnl_cache_store_statistics *statistics);

/* What all processes together did with the store since counting began, and how
 * it was last used. A process adds what it counted when it closes the store,
 * and during calls about once a second, without syncing: one that is killed
 * loses about a second. What is done with a store that is read-only, or off, is
 * not counted. */
struct dnnl_cache_store_totals {
    size_t struct_size;      /* sizeof the struct */
    uint64_t capacity_bytes; /* last used with that; 0: none, or not known */
    enum dnnl_cache_store_policy policy; /* if the capacity is known */
    uint64_t since_ns;                   /* since the epoch; 0: not recorded */
    uint64_t hits;                       /* blobs found */
    uint64_t misses;                     /* blobs not found */
    uint64_t puts;                       /* blobs published */
    uint64_t evictions;                  /* entries removed to make room */
    uint64_t refused; /* puts not kept: too small or too large, no room, lock
                       * not free in time, disk failing */
    /* Who has used the store is noted since then; 0: it is not. */
    uint64_t users_since_ns;
    /* Of these, in the last three months: machines, other systems or images
     * that this one boots, and mount namespaces such as containers, each of
     * which may have drivers that this process does not see. */
    uint64_t other_users;
};

/* The initial value: struct_size is set, all else is 0. */
#define DNNL_CACHE_STORE_TOTALS_INIT                                    \
    {                                                                   \
        sizeof(struct dnnl_cache_store_totals), 0,                      \
                dnnl_cache_store_policy_default, 0, 0, 0, 0, 0, 0, 0, 0 \
    }

/* What is recorded, and what this process counted and has not recorded yet.
 * Statuses: dnnl_success; dnnl_invalid_arguments (NULL, bad struct_size);
 * dnnl_out_of_memory; dnnl_unimplemented (a chain: ask its members). */
dnnl_status_t dnnl_cache_store_get_totals(dnnl_cache_store_handle_t *store,
        struct dnnl_cache_store_totals *totals);

/* Records what this process counted now, and warns if its entries were evicted
 * for lack of room, as closing the store does: for a process that ends and does
 * not close it. Statuses: dnnl_success, also if that is not possible;
 * dnnl_invalid_arguments (NULL); dnnl_unimplemented (a chain). */
dnnl_status_t dnnl_cache_store_record_totals(dnnl_cache_store_handle_t *store);

/* For a tool, which does not know the limits of the applications and opens a
 * store without a capacity: from now on puts keep to the capacity and the
 * policy that the store was last used with, and evict as an application's do,
 * but no more than it takes. Gets note no use: a tool that looks at an entry
 * does not use it. Without a recorded capacity nothing changes. Call it before
 * other threads use the store. Statuses: dnnl_success; dnnl_invalid_arguments
 * (NULL); dnnl_unimplemented (a chain); dnnl_out_of_memory. */
dnnl_status_t dnnl_cache_store_take_limits(dnnl_cache_store_handle_t *store);

/* Is there room for so many bytes, ID and blob together, without evicting an
 * entry that this handle has put or found? Who asks before each put does not
 * evict its first entries with its last ones, to make all of them again the
 * next time. Whether the blob is kept is the put's to say. False for NULL. */
bool dnnl_cache_store_has_room(
        const dnnl_cache_store_handle_t *store, uint64_t bytes);

/* Has an entry go first when room is needed, until it is used: for a tool that
 * has found out that it is of no use any more. used_ns: as its
 * dnnl_cache_store_entry said; an entry that was used since then stays as it
 * is, and so does one that is not there. Under the policies FIFO and none, and
 * if the policy is not known (dnnl_cache_store_take_limits()), nothing changes.
 * Statuses: dnnl_success; dnnl_invalid_arguments (NULL, no ID);
 * dnnl_unimplemented (a chain, a store on a server); dnnl_runtime_error
 * (read-only, lock not free in time, disk failing); dnnl_out_of_memory. */
dnnl_status_t dnnl_cache_store_evict_first(dnnl_cache_store_handle_t *store,
        size_t id_size, const uint8_t *id, uint64_t used_ns);

/* Begins to count anew. Statuses: dnnl_success; dnnl_invalid_arguments (NULL);
 * dnnl_unimplemented (a chain); dnnl_runtime_error (read-only, lock not free in
 * time, disk failing). */
dnnl_status_t dnnl_cache_store_reset_totals(dnnl_cache_store_handle_t *store);

/* One intact entry. Pointers are valid during the call they are passed to. */
struct dnnl_cache_store_entry {
    size_t struct_size;  /* sizeof the struct */
    size_t id_size;      /* bytes */
    const uint8_t *id;   /* the ID it is kept under */
    uint64_t blob_size;  /* bytes */
    uint64_t created_ns; /* since the epoch */
    uint64_t used_ns;    /* last use; the creation where that is not noted */
    uint64_t compile_ns; /* 0: not known */
    dnnl_cache_blob_kind_t kind; /* what the blob is a record of */
};

/* False ends what calls it. */
typedef bool (*dnnl_cache_store_visit_callback_t)(
        void *user, const struct dnnl_cache_store_entry *item);

/* Calls visit for every entry once, in no particular order, until visit returns
 * false. Entries that are added or removed meanwhile may or may not be visited.
 * Entries that are found damaged without reading blobs are counted as damaged
 * and skipped. visit may use the store. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL); dnnl_out_of_memory; dnnl_runtime_error. */
dnnl_status_t dnnl_cache_store_iterate(dnnl_cache_store_handle_t *store,
        dnnl_cache_store_visit_callback_t visit, void *user);

/* Removes entries by the store's policy until all files together have at most
 * the given size, and removes entries above the given age; UINT64_MAX for
 * either: no limit. A size of 0 empties the store. *removed (removed may be
 * NULL) receives the number of removed entries. Statuses: dnnl_success;
 * dnnl_invalid_arguments (NULL); dnnl_out_of_memory; dnnl_runtime_error
 * (read-only, lock not free in time, disk failing). */
dnnl_status_t dnnl_cache_store_trim(dnnl_cache_store_handle_t *store,
        uint64_t max_bytes, uint64_t max_age_seconds, uint64_t *removed);

/* Removes entries above the given age as max_age_seconds of the options does:
 * a span in which nothing of the store was used, such as a jump of the clock,
 * is no age. An entry goes if it was not used for that time, and the store was
 * used on seven days since (for an age of less than a week on as many days, but
 * at least two); ages below a day are times of the clock. Statuses and *removed
 * as of dnnl_cache_store_trim(), whose ages are always times of the clock. */
dnnl_status_t dnnl_cache_store_expire(dnnl_cache_store_handle_t *store,
        uint64_t max_age_seconds, uint64_t *removed);

/* The result of a check of every byte. */
struct dnnl_cache_store_check {
    size_t struct_size; /* sizeof the struct */
    uint64_t intact;    /* intact entries */
    uint64_t damaged;   /* damaged entries */
    uint64_t repaired;  /* damaged ones that were removed */
    uint64_t bytes;     /* of intact blobs */
};

/* The initial value: struct_size is set, all else is 0. */
#define DNNL_CACHE_STORE_CHECK_INIT                       \
    {                                                     \
        sizeof(struct dnnl_cache_store_check), 0, 0, 0, 0 \
    }

/* What is wrong with an entry. Stores on disk take all for damage. */
enum dnnl_cache_store_flaw {
    dnnl_cache_store_flaw_damaged = 0,   /* also that of an intact one */
    dnnl_cache_store_flaw_unsigned = 1,  /* intact, but not of a key of this
                                          * store: repair leaves it */
    dnnl_cache_store_flaw_newer = 2,     /* a newer format: repair leaves it */
    dnnl_cache_store_flaw_misplaced = 3, /* intact, but under another name */
    dnnl_cache_store_flaw_encryption = 4 /* of another encryption key, or
                                          * encrypted where the store is not, or
                                          * not where it is: as unsigned */
};

/* One checked entry; valid during the call. */
struct dnnl_cache_store_verdict {
    size_t struct_size; /* sizeof the struct */
    const char *name;   /* where it is in the store: a path or a number */
    bool intact;        /* nothing is wrong with it */
    size_t id_size;     /* of one that is not, if its ID can be read; else 0 */
    const uint8_t *id;  /* and NULL */
    enum dnnl_cache_store_flaw flaw; /* of one that is not */
};

/* False ends what calls it. */
typedef bool (*dnnl_cache_store_verify_callback_t)(
        void *user, const struct dnnl_cache_store_verdict *verdict);

/* Reads every byte of every entry, and removes damaged and misplaced entries if
 * repair is true. progress (may be NULL) is called for each entry; if it
 * returns false, the check ends. Statuses: dnnl_success, also if there is
 * damage; dnnl_invalid_arguments (NULL, bad struct_size);
 * dnnl_out_of_memory; dnnl_runtime_error (repair of a read-only store; lock;
 * disk). */
dnnl_status_t dnnl_cache_store_verify(dnnl_cache_store_handle_t *store,
        bool repair, dnnl_cache_store_verify_callback_t progress, void *user,
        struct dnnl_cache_store_check *check);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_STORE_H */
