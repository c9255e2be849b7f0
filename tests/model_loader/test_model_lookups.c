/* SPDX-License-Identifier: Apache-2.0 */
/* What the model loader keeps beside the store: lists of IDs, the store around
 * the store, blobs that workers send, claims. */
#include "model/base/claims.h"
#include "model/base/id_list.h"
#include "model/compile/lookups.h"
#include "model/compile/worker_message.h"
#include "src/platform/folder.h"

#include "test.h"

#include <errno.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Lists of IDs -------------------------------------------------------- */

static struct id_list make_list(int count)
{
    struct id_list list = {0};
    for (int i = 0; i < count; i++) {
        const uint8_t id[] = {'i', 'd', (uint8_t)i, 0, 1};
        EXPECT_EQ(i, id_list_add(&list, sizeof id - (size_t)(i % 2), id));
    }
    return list;
}

static const char *list_path(void)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/list.ids", test_directory());
    return path;
}

TEST_C(ModelIdList, NamesTheFolderThatCannotBeMade)
{
    struct id_list list = make_list(1);
    char path[4200];
    size_t failed = 0;
    id_list_write(&list, list_path()); /* a file */
    snprintf(path, sizeof path, "%s/a/b/list.ids", list_path());
    EXPECT_EQ(ENOTDIR, folder_make_above(path, 0700, &failed));
    EXPECT_EQ(strlen(list_path()) + strlen("/a"), failed);
    snprintf(path, sizeof path, "%s/a/b/list.ids", test_directory());
    EXPECT_EQ(0, folder_make_above(path, 0700, &failed));
    EXPECT_EQ(0, folder_make_above(path, 0700, &failed));
    id_list_fini(&list);
}

TEST_C(ModelIdList, KeepsEachOnceAndReadsWhatItWrote)
{
    struct id_list list = make_list(40), read = {0};
    EXPECT_EQ(3, id_list_add(&list, list.sizes[3], list.ids[3]));
    EXPECT_EQ(40, list.count);
    id_list_write(&list, list_path());
    id_list_read(&read, list_path());
    EXPECT_TRUE(id_list_equal(&list, &read));
    id_list_fini(&read);
    id_list_read(&read, "/no/such/folder/list.ids");
    EXPECT_EQ(0, read.count);
    EXPECT_FALSE(id_list_equal(&list, &read));
    id_list_fini(&list);
}

TEST_C(ModelIdList, TakesWhatIsWholeOfACutFile)
{
    struct id_list list = make_list(6);
    char bytes[256];
    id_list_write(&list, list_path());
    FILE *file = fopen(list_path(), "rb");
    ASSERT_NOT_NULL(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (size_t cut = 1; cut < size; cut++) {
        struct id_list read = {0};
        file = fopen(list_path(), "wb");
        ASSERT_NOT_NULL(file);
        EXPECT_EQ(cut, fwrite(bytes, 1, cut, file));
        fclose(file);
        id_list_read(&read, list_path());
        EXPECT_LT(read.count, list.count);
        for (size_t i = 0; i < read.count; i++)
            EXPECT_EQ(i, id_list_find(&list, read.sizes[i], read.ids[i]));
        id_list_fini(&read);
    }
    id_list_fini(&list);
}

/* ---- The store around the store ------------------------------------------ */

static const uint8_t known_id[] = {1, 2, 3}, other_id[] = {4, 5};
static const uint8_t known_blob[] = {9, 9};

struct small_store {
    int gets, questions, lent, puts;
    bool keeps; /* what is put */
    bool is_full;
    bool has_other;
};

static bool is_other(size_t id_size, const uint8_t *id)
{
    return id_size == sizeof other_id && memcmp(id, other_id, id_size) == 0;
}

static dnnl_status_t small_get(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob)
{
    struct small_store *s = user;
    s->gets++;
    if (!(s->has_other && is_other(id_size, id))
            && (id_size != sizeof known_id
                    || memcmp(id, known_id, id_size) != 0))
        return dnnl_cache_miss;
    s->lent++;
    *size = sizeof known_blob;
    *blob = known_blob;
    return dnnl_success;
}

static void small_release(void *user, size_t size, const uint8_t *blob)
{
    struct small_store *s = user;
    EXPECT_BYTES_EQ(known_blob, sizeof known_blob, blob, size);
    s->lent--;
}

static dnnl_status_t small_put(void *user, size_t id_size, const uint8_t *id,
        size_t size, const uint8_t *blob,
        const dnnl_cache_store_metadata_t *metadata)
{
    struct small_store *s = user;
    (void)size, (void)blob, (void)metadata;
    s->puts++;
    if (s->keeps && is_other(id_size, id)) s->has_other = true;
    return s->is_full ? dnnl_runtime_error : dnnl_success;
}

static dnnl_status_t small_get_many(void *user, size_t count,
        const size_t *id_sizes, const uint8_t *const *ids, size_t *sizes,
        const uint8_t **blobs)
{
    struct small_store *s = user;
    s->questions++;
    for (size_t i = 0; i < count; i++)
        small_get(user, id_sizes[i], ids[i], &sizes[i], &blobs[i]);
    s->gets = 0;
    return dnnl_success;
}

static dnnl_cache_store_t callbacks_of(struct small_store *s)
{
    return (dnnl_cache_store_t){.struct_size = sizeof(dnnl_cache_store_t),
            .user = s,
            .get = small_get,
            .release = small_release,
            .put = small_put,
            .get_many = small_get_many};
}

TEST_C(ModelLookups, NotesWhatIsUsedAndMissed)
{
    struct small_store inner = {.keeps = true};
    const dnnl_cache_store_t store = callbacks_of(&inner);
    struct lookups r;
    size_t size;
    const uint8_t *blob;
    lookups_init(&r, &store);
    const dnnl_cache_store_t *s = &r.callbacks;
    EXPECT_EQ(SIZE_MAX, lookups_last_miss(&r));
    EXPECT_STATUS(dnnl_cache_miss,
            s->get(s->user, sizeof other_id, other_id, &size, &blob));
    EXPECT_EQ(0, lookups_last_miss(&r));
    lookups_forget_last_miss(&r);
    EXPECT_EQ(SIZE_MAX, lookups_last_miss(&r));
    EXPECT_OK(s->get(s->user, sizeof known_id, known_id, &size, &blob));
    s->release(s->user, size, blob);
    EXPECT_EQ(1, r.used.count);
    EXPECT_OK(s->put(s->user, sizeof other_id, other_id, 2, known_blob, NULL));
    EXPECT_EQ(2, r.used.count);
    EXPECT_EQ(0, inner.lent);
    EXPECT_EQ(1, inner.puts);
    lookups_fini(&r);
}

TEST_C(ModelLookups, AsksOnceForAll)
{
    struct small_store inner = {0};
    const dnnl_cache_store_t store = callbacks_of(&inner);
    struct id_list list = {0};
    struct lookups r;
    size_t size;
    const uint8_t *blob;
    id_list_add(&list, sizeof other_id, other_id);
    id_list_add(&list, sizeof known_id, known_id);
    lookups_init(&r, &store);
    const dnnl_cache_store_t *s = &r.callbacks;
    lookups_fetch(&r, &list);
    EXPECT_EQ(1, inner.questions);
    for (int i = 0; i < 3; i++) {
        ASSERT_OK(s->get(s->user, sizeof known_id, known_id, &size, &blob));
        EXPECT_BYTES_EQ(known_blob, sizeof known_blob, blob, size);
        s->release(s->user, size, blob);
    }
    EXPECT_EQ(0, inner.gets);
    EXPECT_EQ(1, inner.lent); /* until they are dropped */
    lookups_drop(&r);
    EXPECT_EQ(0, inner.lent);
    lookups_fini(&r);
    id_list_fini(&list);
}

/* A store may say that it has put something and not have kept it. */
TEST_C(ModelLookups, KnowsWhatIsNotKept)
{
    struct small_store inner = {0};
    const dnnl_cache_store_t store = callbacks_of(&inner);
    struct lookups worker, loader;
    size_t size;
    const uint8_t *blob;
    lookups_init(&worker, &store);
    lookups_init(&loader, &store);
    worker.keeps_unkept = true;
    const dnnl_cache_store_t *w = &worker.callbacks, *l = &loader.callbacks;
    EXPECT_OK(w->put(w->user, sizeof known_id, known_id, 2, known_blob, NULL));
    EXPECT_FALSE(worker.has_unkept);
    EXPECT_EQ(1, worker.used.count);
    EXPECT_OK(w->put(w->user, sizeof other_id, other_id, 2, known_blob, NULL));
    EXPECT_TRUE(worker.has_unkept);
    EXPECT_EQ(1, worker.used.count);
    EXPECT_EQ(1, worker.unkept.ids.count);
    /* Whoever takes it finds it, and offers it to the store first. */
    lookups_take(&loader, &worker.unkept);
    lookups_take(&loader, &worker.unkept);
    EXPECT_TRUE(loader.has_unkept);
    EXPECT_EQ(3, inner.puts);
    ASSERT_OK(l->get(l->user, sizeof other_id, other_id, &size, &blob));
    EXPECT_BYTES_EQ(known_blob, sizeof known_blob, blob, size);
    l->release(l->user, size, blob);
    EXPECT_EQ(0, inner.lent);
    lookups_fini(&worker);
    lookups_fini(&loader);
}

/* An engine offers nothing more after a failure: of two blobs that a full disk
 * does not take, a worker would send one. */
TEST_C(ModelLookups, TakesAllThatAFullStoreRefuses)
{
    static const uint8_t third_id[] = {6};
    struct small_store inner = {.is_full = true};
    const dnnl_cache_store_t store = callbacks_of(&inner);
    struct lookups worker;
    lookups_init(&worker, &store);
    worker.keeps_unkept = true;
    const dnnl_cache_store_t *w = &worker.callbacks;
    EXPECT_OK(w->put(w->user, sizeof other_id, other_id, 2, known_blob, NULL));
    EXPECT_OK(w->put(w->user, sizeof third_id, third_id, 2, known_blob, NULL));
    EXPECT_EQ(2, inner.puts);
    EXPECT_EQ(2, worker.unkept.ids.count);
    EXPECT_EQ(0, worker.used.count);
    EXPECT_TRUE(worker.has_unkept);
    lookups_fini(&worker);
}

/* ---- What workers are told, and tell ------------------------------------- */

/* A copy that ends where the message does, which what is read points into. */
static struct message cut(const struct message *whole, size_t size)
{
    struct message m = {.subject = whole->subject,
            .data = malloc(size > 0 ? size : 1),
            .size = size};
    memcpy(m.data, whole->data, size);
    return m;
}

TEST_C(ModelWorkerMessage, TellsOfAModelWholeOrNotAtAll)
{
    const struct onnx_shape shapes[] = {
            {"input:0", {.ndims = 2, .dims = {3, 4}}}, {"scalar", {0}}};
    const struct onnx_constant rate = {"sr", 16000.5};
    struct loader_options options = {.path = "/model.onnx",
            .folder = "/data",
            .shape_count = 2,
            .shapes = shapes,
            .constant_count = 1,
            .constants = &rate,
            .session.folder = "/store",
            .session.device.text = "1"};
    struct worker_place place = {
            .device_name = "cpu", .identity = "00ff", .has_blobs = true};
    struct message whole = {.data = NULL};
    EXPECT_TRUE(blob_list_add(
            &place.blobs, sizeof known_id, known_id, 2, known_blob));
    worker_place_put(&whole, &options, &place);
    EXPECT_FALSE(whole.has_failed);
    blob_list_fini(&place.blobs);
    for (size_t size = 0; size <= whole.size; size++) {
        struct message m = cut(&whole, size);
        struct loader_options got;
        struct worker_place at;
        size_t blob_size = 0;
        const bool is_read =
                message_is_sound(&m) && worker_place_read(&got, &at, &m);
        if (message_is_sound(&m)) {
            const uint8_t *blob = blob_list_find(
                    &at.blobs, sizeof known_id, known_id, &blob_size);
            EXPECT_EQ(size == whole.size, is_read && blob != NULL);
            if (blob != NULL) EXPECT_BYTES_EQ(known_blob, 2, blob, blob_size);
        }
        if (size == whole.size) {
            EXPECT_TRUE(is_read && got.session.is_worker && at.has_blobs);
            EXPECT_TRUE(strcmp(got.path, "/model.onnx") == 0);
            EXPECT_TRUE(strcmp(got.folder, "/data") == 0);
            EXPECT_TRUE(got.session.folder == NULL); /* blobs instead */
            EXPECT_TRUE(strcmp(at.identity, "00ff") == 0);
            EXPECT_EQ(2, got.shape_count);
            EXPECT_EQ(4, got.shapes[0].shape.dims[1]);
            EXPECT_TRUE(strcmp(got.shapes[0].name, "input:0") == 0);
            EXPECT_TRUE(strcmp(got.shapes[1].name, "scalar") == 0);
            EXPECT_EQ(1, got.constant_count);
            EXPECT_TRUE(strcmp(got.constants[0].name, "sr") == 0);
            EXPECT_TRUE(got.constants[0].value == 16000.5);
        }
        if (message_is_sound(&m)) worker_place_fini(&got, &at);
        message_fini(&m);
    }
    message_fini(&whole);
}

TEST_C(ModelWorkerMessage, TellsOfAStepWholeOrNotAtAll)
{
    struct blob_list list = {0};
    struct message whole = {.data = NULL};
    int step = 0;
    EXPECT_TRUE(blob_list_add(&list, sizeof known_id, known_id, 2, known_blob));
    EXPECT_TRUE(blob_list_add(&list, sizeof other_id, other_id, 1, known_blob));
    worker_step_put(&whole, 17);
    EXPECT_TRUE(worker_step_read(&step, &whole));
    EXPECT_EQ(17, step);
    const struct worker_answer says = {true, 3, &list};
    worker_answer_put(&whole, &says);
    EXPECT_FALSE(worker_step_read(&step, &whole));
    for (size_t size = 0; size <= whole.size; size++) {
        struct message m = cut(&whole, size);
        struct worker_answer answer;
        struct blob_list got = {0};
        size_t blob_size = 0;
        if (message_is_sound(&m) && worker_answer_read(&answer, &got, &m)
                && size == whole.size) {
            EXPECT_TRUE(answer.is_done);
            EXPECT_EQ(3, answer.compiled);
            const uint8_t *blob =
                    blob_list_find(&got, sizeof other_id, other_id, &blob_size);
            EXPECT_BYTES_EQ(known_blob, 1, blob, blob_size);
        } else {
            EXPECT_TRUE(size < whole.size);
        }
        blob_list_fini(&got);
        message_fini(&m);
    }
    blob_list_fini(&list);
    message_fini(&whole);
}

TEST_C(ModelLookups, FindsNothingWithoutAStore)
{
    struct lookups r;
    size_t size;
    const uint8_t *blob;
    lookups_init(&r, NULL);
    const dnnl_cache_store_t *s = &r.callbacks;
    EXPECT_STATUS(dnnl_cache_miss,
            s->get(s->user, sizeof known_id, known_id, &size, &blob));
    EXPECT_OK(s->put(s->user, sizeof known_id, known_id, 2, known_blob, NULL));
    EXPECT_OK(s->remove(s->user, sizeof known_id, known_id));
    EXPECT_EQ(0, r.used.count);
    EXPECT_TRUE(r.has_unkept);
    lookups_fini(&r);
}

TEST_C(ModelClaims, AreOneLoadersAtATime)
{
    struct claims a, b;
    claims_open(&a, test_directory());
    claims_open(&b, test_directory());
    EXPECT_TRUE(claims_take(&a, 77));
    EXPECT_TRUE(claims_take(&a, UINT64_MAX));
    EXPECT_FALSE(claims_take(&b, 77));
    EXPECT_TRUE(claims_take(&b, 1234567));
    claims_wait(&b, 77, 30); /* not for ever */
    claims_drop(&a, 77);
    EXPECT_TRUE(claims_take(&b, 77));
    claims_close(&a);
    EXPECT_TRUE(claims_take(&b, UINT64_MAX));
    claims_close(&b);
    /* Where there can be no lock nobody waits. */
    claims_open(&a, "/no/such/folder");
    EXPECT_TRUE(claims_take(&a, 77));
    claims_close(&a);
}
