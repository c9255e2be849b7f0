/* SPDX-License-Identifier: Apache-2.0 */
/* Looking into blobs and IDs, and what the library says of itself. */
#include "blob_edit.h"
#include "forge.h"
#include "log_capture.h"
#include "programs.h"
#include "rig.h"

#include "test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The library --------------------------------------------------------- */

TEST_C(Library, FollowsOneDnnsVersion)
{
    const dnnl_version_t *version = dnnl_version();
    ASSERT_NOT_NULL(version);
    EXPECT_EQ(DNNL_VERSION_MAJOR, version->major);
    EXPECT_EQ(DNNL_VERSION_MINOR, version->minor);
    EXPECT_EQ(DNNL_VERSION_PATCH, version->patch);
    EXPECT_EQ(DNNL_RUNTIME_OCL, version->gpu_runtime);
    ASSERT_NOT_NULL(version->hash);
    EXPECT_PTR_EQ(version, dnnl_version());
}

TEST_C(Library, TellsItsOwnVersion)
{
    char expected[32];
    snprintf(expected, sizeof expected, "%d.%d.%d", DNNL_CACHE_VERSION_MAJOR,
            DNNL_CACHE_VERSION_MINOR, DNNL_CACHE_VERSION_PATCH);
    EXPECT_STR_EQ(expected, dnnl_cache_version());
}

TEST_C(Library, NamesEveryStatus)
{
    static const struct {
        dnnl_status_t status;
        const char *name;
    } names[] = {{dnnl_success, "success"},
            {dnnl_out_of_memory, "out_of_memory"},
            {dnnl_invalid_arguments, "invalid_arguments"},
            {dnnl_unimplemented, "unimplemented"},
            {dnnl_last_impl_reached, "last_impl_reached"},
            {dnnl_runtime_error, "runtime_error"},
            {dnnl_not_required, "not_required"},
            {dnnl_invalid_graph, "invalid_graph"},
            {dnnl_invalid_graph_op, "invalid_graph_op"},
            {dnnl_invalid_shape, "invalid_shape"},
            {dnnl_invalid_data_type, "invalid_data_type"},
            {dnnl_cache_miss, "cache_miss"},
            {dnnl_cache_blob_corrupt, "cache_blob_corrupt"},
            {dnnl_cache_blob_stale, "cache_blob_stale"},
            {dnnl_cache_blob_unsupported, "cache_blob_unsupported"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        EXPECT_STR_EQ(names[i].name, dnnl_status2str(names[i].status));
    EXPECT_NOT_NULL(dnnl_status2str((dnnl_status_t)77));
    EXPECT_NOT_NULL(dnnl_status2str((dnnl_status_t)-1));
}

/* ---- Inspection ---------------------------------------------------------- */

static dnnl_status_t inspect(
        const struct bytes *blob, dnnl_cache_blob_info_t *info)
{
    return dnnl_cache_blob_inspect(blob->size, blob->data, info);
}

static bool is_inside(const void *pointer, const struct bytes *blob)
{
    uintptr_t at = (uintptr_t)pointer;
    uintptr_t start = (uintptr_t)blob->data;
    return at >= start && at - start < blob->size;
}

TEST_RIG(BlobInspect, TellsAllOfAProgramsBlob)
{
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    fake_opencl_set("BUILD_LOG", "a remark");
    dnnl_cache_program_t program = build(rig->engine, scale_source, NULL);
    struct bytes blob = program_blob(program);
    ASSERT_OK(inspect(&blob, &info));
    EXPECT_EQ(sizeof info, info.struct_size);
    EXPECT_EQ(dnnl_cache_blob_kind_program, info.kind);
    EXPECT_EQ(1, info.format_version);
    EXPECT_EQ(blob.size, info.total_size);
    EXPECT_EQ(
            5, info.section_count); /* ID, programs, kernels, logs, binaries */
    EXPECT_EQ(1, info.program_count);
    EXPECT_EQ(2, info.kernel_count);
    EXPECT_EQ(info_of(program).binary_bytes, info.binary_bytes);
    EXPECT_EQ(info.binary_bytes, info.stored_bytes);
    EXPECT_TRUE(is_inside(info.id, &blob));
    EXPECT_BYTES_EQ("a remark", 8, info.build_log, info.build_log_size);
    EXPECT_TRUE(is_inside(info.build_log, &blob));
    bytes_free(&blob);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

TEST_RIG(BlobInspect, TellsAllOfAnEnginesBlob)
{
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    struct bytes blob = engine_blob(rig->engine);
    struct bytes id = engine_id(rig->device);
    ASSERT_OK(inspect(&blob, &info));
    EXPECT_EQ(dnnl_cache_blob_kind_engine, info.kind);
    EXPECT_EQ(1, info.format_version);
    EXPECT_EQ(blob.size, info.total_size);
    EXPECT_EQ(2, info.section_count); /* ID, facts */
    EXPECT_EQ(0, info.program_count + info.kernel_count);
    EXPECT_EQ(0, info.binary_bytes + info.stored_bytes);
    EXPECT_BYTES_EQ(id.data, id.size, info.id, info.id_size);
    EXPECT_EQ(0, info.build_log_size);
    bytes_free(&id);
    bytes_free(&blob);
}

/* Any bytes may be looked into; what is no blob leaves the struct alone. */
static void expect_inspection(
        dnnl_status_t status, const uint8_t *data, size_t size)
{
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    info.kind = (dnnl_cache_blob_kind_t)77;
    info.total_size = 77;
    EXPECT_STATUS(status, dnnl_cache_blob_inspect(size, data, &info));
    EXPECT_EQ(77, info.kind);
    EXPECT_EQ(77, info.total_size);
    EXPECT_NULL(info.id);
}

TEST_RIG(BlobInspect, TellsDamage)
{
    struct log_capture log;
    struct bytes blob = engine_blob(rig->engine);
    log_capture_start(&log);
    expect_inspection(dnnl_cache_blob_corrupt, blob.data, blob.size - 1);
    blob.data[blob.size - 1] ^= 1;
    expect_inspection(dnnl_cache_blob_corrupt, blob.data, blob.size);
    expect_inspection(dnnl_cache_blob_corrupt, (const uint8_t *)"x", 1);
    /* Why is for those who listen; it is no warning to look. */
    EXPECT_EQ(3, log_capture_count(&log, dnnl_cache_log_info));
    EXPECT_EQ(0, log_capture_count(&log, dnnl_cache_log_warning));
    log_capture_stop(&log);
    bytes_free(&blob);
}

TEST_RIG(BlobInspect, TellsANewerFormat)
{
    struct bytes blob = engine_blob(rig->engine);
    blob.data[8]++;
    expect_inspection(dnnl_cache_blob_unsupported, blob.data, blob.size);
    bytes_free(&blob);
}

TEST_SAMPLE(BlobInspect, NeedsNoDevice, blob_kind_primitive)
{
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    unsigned long calls = fake_opencl_total_calls();
    ASSERT_OK(dnnl_cache_blob_inspect(s->size, s->blob, &info));
    EXPECT_EQ(dnnl_cache_blob_kind_primitive, info.kind);
    EXPECT_EQ(s->contents.program_count, info.program_count);
    EXPECT_EQ(s->contents.kernel_count, info.kernel_count);
    EXPECT_EQ(calls, fake_opencl_total_calls());
}

/* ---- Description --------------------------------------------------------- */

/* What was told of a blob. */
struct told {
    dnnl_cache_blob_part_t parts[80];
    size_t count;
    size_t files;      /* that were included, of these */
    size_t stop_after; /* 0: never */
};

static dnnl_status_t note_part(const dnnl_cache_blob_part_t *part, void *user)
{
    struct told *told = user;
    if (told->count < sizeof told->parts / sizeof *told->parts)
        told->parts[told->count] = *part;
    told->count++;
    if (part->kind == dnnl_cache_blob_part_file) told->files++;
    return told->count == told->stop_after ? dnnl_not_required : dnnl_success;
}

static dnnl_status_t describe_blob(
        struct told *told, size_t size, const uint8_t *blob)
{
    *told = (struct told){.count = 0};
    return dnnl_cache_blob_describe(size, blob, note_part, told);
}

static void expect_section(const dnnl_cache_blob_part_t *part, uint32_t index,
        const char *name, uint32_t tag, const struct bytes *blob)
{
    size_t size;
    (void)forge_find(blob->data, tag, &size);
    EXPECT_EQ(dnnl_cache_blob_part_section, part->kind);
    EXPECT_EQ(index, part->index);
    EXPECT_STR_EQ(name, part->name);
    EXPECT_EQ(tag, part->tag);
    EXPECT_EQ(size, part->bytes);
    EXPECT_EQ(size, part->stored_bytes);
    EXPECT_NULL(part->id);
}

static void expect_kernel_part(const dnnl_cache_blob_part_t *part,
        uint32_t index, uint32_t program, const char *name, size_t facts)
{
    EXPECT_EQ(dnnl_cache_blob_part_kernel, part->kind);
    EXPECT_EQ(index, part->index);
    EXPECT_EQ(program, part->program);
    EXPECT_STR_EQ(name, part->name);
    EXPECT_EQ(facts, part->bytes);
    EXPECT_NULL(part->id);
    EXPECT_NULL(part->build_log);
}

TEST_SAMPLE(
        BlobDescribe, TellsSectionsThenProgramsThenKernels, blob_kind_primitive)
{
    struct told told;
    const struct bytes blob = {s->blob, s->size};
    const struct blob_contents *c = &s->contents;
    ASSERT_OK(describe_blob(&told, s->size, s->blob));
    ASSERT_EQ(5 + 2 + 3, told.count);
    expect_section(&told.parts[0], 0, "id", 0x10, &blob);
    expect_section(&told.parts[1], 1, "programs", 0x20, &blob);
    expect_section(&told.parts[2], 2, "kernels", 0x30, &blob);
    expect_section(&told.parts[3], 3, "logs", 0x50, &blob);
    expect_section(&told.parts[4], 4, "binaries", 0x100, &blob);
    for (uint32_t i = 0; i < 2; i++) {
        const dnnl_cache_blob_part_t *part = &told.parts[5 + i];
        const struct blob_program *p = &c->programs[i];
        EXPECT_EQ(sizeof *part, part->struct_size);
        EXPECT_EQ(dnnl_cache_blob_part_program, part->kind);
        EXPECT_EQ(i, part->index);
        EXPECT_EQ(i, part->program);
        EXPECT_STR_EQ("", part->name);
        EXPECT_EQ(p->raw_size, part->bytes);
        EXPECT_EQ(p->binary_size, part->stored_bytes);
        EXPECT_EQ(p->codec, (uint32_t)part->compression);
        EXPECT_BYTES_EQ(p->id, p->id_size, part->id, part->id_size);
        EXPECT_TRUE(is_inside(part->id, &blob));
        EXPECT_BYTES_EQ(
                p->log, p->log_size, part->build_log, part->build_log_size);
    }
    EXPECT_EQ(dnnl_cache_compression_none, told.parts[5].compression);
    EXPECT_EQ(dnnl_cache_compression_zstd, told.parts[6].compression);
    for (uint32_t i = 0; i < 3; i++)
        expect_kernel_part(&told.parts[7 + i], i, c->kernels[i].program,
                c->kernels[i].name, c->kernels[i].facts_size);
}

TEST_C(BlobDescribe, TellsOfUserData)
{
    struct sample sample;
    struct told told;
    sample_init_with_user_data(&sample);
    const struct bytes blob = {sample.blob, sample.size};
    ASSERT_OK(describe_blob(&told, sample.size, sample.blob));
    ASSERT_EQ(5 + 1, told.count);
    expect_section(&told.parts[3], 3, "user_data", 0x60, &blob);
    EXPECT_EQ(18, told.parts[3].bytes);
    sample_fini(&sample);
}

TEST_C(BlobDescribe, TellsIncludedFiles)
{
    static const uint8_t tile[] = {0x39, 0x91, 0x8a, 0x1f, 0x7d, 0x13, 0x47,
            0xdf, 0xf3, 0x24, 0x39, 0xfe, 0xa7, 0x08, 0x3a, 0x14};
    struct sample sample;
    struct told told;
    sample_init_with_included(&sample);
    const struct bytes blob = {sample.blob, sample.size};
    ASSERT_OK(describe_blob(&told, sample.size, sample.blob));
    ASSERT_EQ(5 + 1 + 2, told.count);
    expect_section(&told.parts[3], 3, "included", 0x70, &blob);
    EXPECT_EQ(63, told.parts[3].bytes);
    EXPECT_EQ(dnnl_cache_blob_part_file, told.parts[6].kind);
    EXPECT_STR_EQ("tile.h", told.parts[6].name);
    EXPECT_BYTES_EQ(tile, sizeof tile, told.parts[6].id, told.parts[6].id_size);
    EXPECT_EQ(1, told.parts[7].index);
    EXPECT_STR_EQ("math/half.h", told.parts[7].name);
    sample_fini(&sample);
}

TEST_RIG(BlobDescribe, TellsOfAnEngineItsSectionsAlone)
{
    struct told told;
    struct bytes blob = engine_blob(rig->engine);
    ASSERT_OK(describe_blob(&told, blob.size, blob.data));
    ASSERT_EQ(2, told.count);
    expect_section(&told.parts[0], 0, "id", 0x10, &blob);
    expect_section(&told.parts[1], 1, "engine_facts", 0x40, &blob);
    bytes_free(&blob);
}

/* A program built by the library has the kernels that the driver named. */
TEST_RIG(BlobDescribe, NamesTheKernelsOfARealProgram)
{
    struct told told;
    dnnl_cache_program_t program = build(rig->engine, scale_source, NULL);
    struct bytes blob = program_blob(program);
    unsigned long calls = fake_opencl_total_calls();
    ASSERT_OK(describe_blob(&told, blob.size, blob.data));
    EXPECT_EQ(calls, fake_opencl_total_calls());
    ASSERT_EQ(4 + 1 + 2, told.count);
    EXPECT_STR_EQ("scale", told.parts[5].name);
    EXPECT_STR_EQ("fill", told.parts[6].name);
    EXPECT_TRUE(is_inside(told.parts[5].name, &blob));
    bytes_free(&blob);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

TEST_SAMPLE(BlobDescribe, EndsWhenTheCallbackSaysSo, blob_kind_primitive)
{
    for (size_t stop = 1; stop <= 10; stop++) {
        struct told told = {.stop_after = stop};
        EXPECT_STATUS(dnnl_not_required,
                dnnl_cache_blob_describe(s->size, s->blob, note_part, &told));
        EXPECT_EQ(stop, told.count);
    }
}

/* Whatever is cut, and whichever byte is another: nothing is told of it. */
TEST_C(BlobDescribe, TellsNothingOfDamage)
{
    struct sample sample;
    struct told told;
    sample_init(&sample, blob_kind_primitive);
    for (size_t size = 1; size < sample.size; size++) {
        struct bytes cut = bytes_copy(sample.blob, size);
        EXPECT_STATUS(dnnl_cache_blob_corrupt,
                describe_blob(&told, cut.size, cut.data));
        EXPECT_EQ(0, told.count);
        bytes_free(&cut);
    }
    for (size_t at = 0; at < sample.size; at++) {
        sample.blob[at] ^= 0x11;
        const dnnl_status_t st = describe_blob(&told, sample.size, sample.blob);
        EXPECT_TRUE(st == dnnl_cache_blob_corrupt
                    || (st == dnnl_cache_blob_unsupported && at >= 8
                            && at < 12)); /* its format's version */
        EXPECT_EQ(0, told.count);
        sample.blob[at] ^= 0x11;
    }
    sample_fini(&sample);
}

/* Describes the files of a folder as dnnl_cache_blob_inspect() sees them;
 * returns how many are blobs. */
static size_t describe_folder(const char *path)
{
    size_t good = 0;
    DIR *folder = opendir(path);
    if (folder == NULL) return 0;
    for (const struct dirent *e = readdir(folder); e != NULL;
            e = readdir(folder)) {
        struct told told;
        dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
        char name[4096];
        uint8_t data[1 << 16];
        snprintf(name, sizeof name, "%s/%s", path, e->d_name);
        FILE *file = e->d_name[0] != '.' ? fopen(name, "rb") : NULL;
        if (file == NULL) continue;
        const size_t size = fread(data, 1, sizeof data, file);
        fclose(file);
        if (size == 0) continue;
        struct bytes exact = bytes_copy(data, size);
        const dnnl_status_t st = inspect(&exact, &info);
        EXPECT_STATUS(st, describe_blob(&told, exact.size, exact.data));
        EXPECT_EQ(info.section_count + info.program_count + info.kernel_count,
                told.count - told.files);
        good += st == dnnl_success;
        bytes_free(&exact);
    }
    closedir(folder);
    return good;
}

TEST_C(BlobDescribe, AgreesWithInspectionOnAllSamplesAndSeeds)
{
    struct log_capture log;
    log_capture_start(&log);
    EXPECT_GE(describe_folder(DNNL_CACHE_TEST_DATA_DIR "/blobs"), 5);
    EXPECT_GT(describe_folder(DNNL_CACHE_TEST_SEEDS_DIR), 0);
    log_capture_stop(&log);
}

/* ---- Check --------------------------------------------------------------- */

static dnnl_status_t check(dnnl_engine_t engine, const struct bytes *blob)
{
    return dnnl_cache_blob_check(engine, blob->size, blob->data);
}

TEST_RIG(BlobCheck, AcceptsWhatTheEngineWouldTake)
{
    dnnl_cache_program_t program = build(rig->engine, scale_source, NULL);
    struct bytes one = program_blob(program);
    struct bytes two = engine_blob(rig->engine);
    unsigned long builds = fake_opencl_source_builds();
    EXPECT_STATUS(dnnl_success, check(rig->engine, &one));
    EXPECT_STATUS(dnnl_success, check(rig->engine, &two));
    EXPECT_EQ(builds, fake_opencl_source_builds());
    EXPECT_EQ(0, fake_opencl_binary_bytes_seen());
    bytes_free(&one);
    bytes_free(&two);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

TEST_RIG(BlobCheck, RefusesWhatIsOfAnotherDriver)
{
    struct log_capture log;
    dnnl_cache_program_t program = build(rig->engine, scale_source, NULL);
    struct bytes blob = program_blob(program);
    struct bytes other = blob_with_other_field(&blob, id_driver_version);
    log_capture_start(&log);
    EXPECT_STATUS(dnnl_cache_blob_stale, check(rig->engine, &other));
    EXPECT_TRUE(log_capture_has(&log, dnnl_cache_log_info, "driver_version"));
    log_capture_stop(&log);
    bytes_free(&blob);
    bytes_free(&other);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

/* Of a program of the application's these are the library. */
TEST_RIG(BlobCheck, RefusesWhatIsOfOtherVersions)
{
    struct log_capture log;
    dnnl_cache_program_t program = build(rig->engine, scale_source, NULL);
    struct bytes blob = program_blob(program);
    log_capture_start(&log);
    for (uint16_t tag = id_blob_format_version;
            tag <= id_include_scanner_version; tag++) {
        struct bytes other = blob_with_other_field(&blob, tag);
        EXPECT_STATUS(dnnl_cache_blob_stale, check(rig->engine, &other));
        EXPECT_TRUE(
                log_capture_has(&log, dnnl_cache_log_info, id_field_name(tag)));
        bytes_free(&other);
    }
    log_capture_stop(&log);
    bytes_free(&blob);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

TEST_RIG(BlobCheck, RefusesDamageAndNewerFormats)
{
    struct bytes blob = engine_blob(rig->engine);
    blob.data[blob.size - 1] ^= 1;
    EXPECT_STATUS(dnnl_cache_blob_corrupt, check(rig->engine, &blob));
    blob.data[8]++;
    EXPECT_STATUS(dnnl_cache_blob_unsupported, check(rig->engine, &blob));
    bytes_free(&blob);
}

TEST_C(BlobCheck, RefusesEverythingWithoutAnIdentity)
{
    struct rig rig;
    struct rig other;
    rig_open_unidentified(&rig);
    rig_open(&other, 0);
    struct bytes blob = engine_blob(other.engine);
    EXPECT_STATUS(dnnl_cache_blob_stale, check(rig.engine, &blob));
    bytes_free(&blob);
    EXPECT_OK(dnnl_engine_destroy(other.engine));
    clReleaseContext(other.context);
    rig_close(&rig);
}

/* What the program is does not matter here. */
TEST_RIG(BlobCheck, LooksAtDeviceDriverAndLibraryOnly)
{
    dnnl_cache_program_t program = build(rig->engine, scale_source, NULL);
    struct bytes blob = program_blob(program);
    struct bytes other = blob_with_other_field(&blob, id_source);
    EXPECT_STATUS(dnnl_success, check(rig->engine, &other));
    bytes_free(&blob);
    bytes_free(&other);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

/* ---- Fields of IDs ------------------------------------------------------- */

TEST_RIG(IdField, WalksAllOfAnId)
{
    dnnl_cache_id_field_t field = DNNL_CACHE_ID_FIELD_INIT;
    size_t count = 0;
    size_t bytes = 0;
    bool seen_name = false;
    struct bytes id = engine_id(rig->device);
    while (dnnl_cache_id_get_field(id.size, id.data, count, &field)
            == dnnl_success) {
        EXPECT_NOT_NULL(field.name);
        EXPECT_TRUE(strcmp(field.name, "unknown") != 0);
        EXPECT_TRUE(field.size == 0 || is_inside(field.value, &id));
        if (strcmp(field.name, "device_name") == 0) {
            seen_name = true;
            EXPECT_TRUE(field.is_text);
            EXPECT_EQ(id_device_name, field.tag);
            EXPECT_BYTES_EQ("Fake GPU", 8, field.value, field.size);
        }
        if (strcmp(field.name, "device_extensions") == 0)
            EXPECT_FALSE(field.is_text);
        bytes += field.size;
        count++;
    }
    EXPECT_TRUE(seen_name);
    EXPECT_GT(count, 15);
    EXPECT_LT(bytes, id.size);
    bytes_free(&id);
}

TEST_RIG(IdField, EndsWithNotRequired)
{
    dnnl_cache_id_field_t field = DNNL_CACHE_ID_FIELD_INIT;
    struct bytes id = engine_id(rig->device);
    field.tag = 77;
    EXPECT_STATUS(dnnl_not_required,
            dnnl_cache_id_get_field(id.size, id.data, 1000, &field));
    EXPECT_STATUS(dnnl_not_required,
            dnnl_cache_id_get_field(id.size, id.data, SIZE_MAX, &field));
    EXPECT_EQ(77, field.tag);
    bytes_free(&id);
}

TEST_RIG(IdField, RefusesWhatIsNoId)
{
    dnnl_cache_id_field_t field = DNNL_CACHE_ID_FIELD_INIT;
    struct bytes id = engine_id(rig->device);
    size_t fields = 0;
    while (dnnl_cache_id_get_field(id.size, id.data, fields, &field)
            == dnnl_success)
        fields++;
    size_t shorter = 0;
    for (size_t size = 1; size < id.size; size++) {
        struct bytes cut = bytes_copy(id.data, size);
        dnnl_status_t st =
                dnnl_cache_id_get_field(cut.size, cut.data, 0, &field);
        /* Cut between two fields it is an ID again, of fewer: none, one ... */
        if (st != dnnl_cache_blob_corrupt) {
            EXPECT_STATUS(shorter == 0 ? dnnl_not_required : dnnl_success, st);
            shorter++;
        }
        bytes_free(&cut);
    }
    EXPECT_EQ(fields, shorter);
    EXPECT_STATUS(dnnl_cache_blob_corrupt,
            dnnl_cache_id_get_field(7, (const uint8_t *)"garbage", 0, &field));
    id.data[4]++; /* the format's version */
    EXPECT_STATUS(dnnl_cache_blob_unsupported,
            dnnl_cache_id_get_field(id.size, id.data, 0, &field));
    bytes_free(&id);
}

static void expect_same_field(
        const dnnl_cache_id_field_t *a, const dnnl_cache_id_field_t *b)
{
    EXPECT_EQ(a->struct_size, b->struct_size);
    EXPECT_EQ(a->tag, b->tag);
    EXPECT_STR_EQ(a->name, b->name);
    EXPECT_EQ(a->size, b->size);
    EXPECT_PTR_EQ(a->value, b->value);
    EXPECT_EQ(a->is_text, b->is_text);
}

TEST_RIG(IdNextField, ReturnsEachFieldOnce)
{
    dnnl_cache_id_field_t field = DNNL_CACHE_ID_FIELD_INIT;
    dnnl_cache_id_field_t again = DNNL_CACHE_ID_FIELD_INIT;
    dnnl_cache_id_field_t expected = DNNL_CACHE_ID_FIELD_INIT;
    size_t position = 0;
    size_t copy = 0;
    size_t count = 0;
    struct bytes id = engine_id(rig->device);
    while (dnnl_cache_id_next_field(id.size, id.data, &position, &field)
            == dnnl_success) {
        EXPECT_OK(dnnl_cache_id_get_field(id.size, id.data, count, &expected));
        expect_same_field(&expected, &field);
        /* A copy of the position stays where it was. */
        EXPECT_OK(dnnl_cache_id_next_field(id.size, id.data, &copy, &again));
        expect_same_field(&expected, &again);
        EXPECT_EQ(position, copy);
        count++;
    }
    EXPECT_STATUS(dnnl_not_required,
            dnnl_cache_id_get_field(id.size, id.data, count, &expected));
    for (int i = 0; i < 2; i++) {
        field.tag = 77;
        EXPECT_STATUS(dnnl_not_required,
                dnnl_cache_id_next_field(id.size, id.data, &position, &field));
        EXPECT_EQ(77, field.tag);
        EXPECT_EQ(copy, position);
    }
    bytes_free(&id);
}

/* At the beginning all of it is checked, as by get_field(). */
TEST_RIG(IdNextField, RefusesWhatIsNoId)
{
    dnnl_cache_id_field_t field = DNNL_CACHE_ID_FIELD_INIT;
    dnnl_cache_id_field_t other = DNNL_CACHE_ID_FIELD_INIT;
    struct bytes id = engine_id(rig->device);
    for (size_t size = 1; size < id.size; size++) {
        struct bytes cut = bytes_copy(id.data, size);
        size_t position = 0;
        const dnnl_status_t st =
                dnnl_cache_id_next_field(cut.size, cut.data, &position, &field);
        EXPECT_STATUS(
                dnnl_cache_id_get_field(cut.size, cut.data, 0, &other), st);
        EXPECT_EQ(st == dnnl_success, position > 0);
        bytes_free(&cut);
    }
    size_t position = 0;
    EXPECT_STATUS(dnnl_cache_blob_corrupt,
            dnnl_cache_id_next_field(
                    7, (const uint8_t *)"garbage", &position, &field));
    EXPECT_OK(dnnl_cache_id_next_field(id.size, id.data, &position, &field));
    const size_t second = position;
    id.data[4]++; /* the format's version */
    EXPECT_STATUS(dnnl_cache_blob_unsupported,
            dnnl_cache_id_next_field(id.size, id.data, &position, &field));
    id.data[0]++;
    EXPECT_STATUS(dnnl_cache_blob_corrupt,
            dnnl_cache_id_next_field(id.size, id.data, &position, &field));
    EXPECT_EQ(second, position);
    bytes_free(&id);
}

/* A position that no call made finds a field within the ID, or none. */
TEST_RIG(IdNextField, StaysInsideOfTheId)
{
    struct bytes id = engine_id(rig->device);
    size_t refused = 0;
    for (size_t at = 1; at < id.size + 64; at++) {
        dnnl_cache_id_field_t field = DNNL_CACHE_ID_FIELD_INIT;
        const size_t wanted =
                at < id.size + 32 ? at : SIZE_MAX - (at - id.size);
        size_t position = wanted;
        const dnnl_status_t st =
                dnnl_cache_id_next_field(id.size, id.data, &position, &field);
        if (st == dnnl_success) {
            EXPECT_GT(position, wanted);
            EXPECT_LE(position, id.size);
            EXPECT_LE(field.size, id.size - wanted);
            EXPECT_TRUE(field.size == 0 || is_inside(field.value, &id));
        } else {
            EXPECT_STATUS(wanted == id.size ? dnnl_not_required
                                            : dnnl_invalid_arguments,
                    st);
            EXPECT_EQ(wanted, position);
            EXPECT_NULL(field.name);
            refused++;
        }
    }
    EXPECT_GT(refused, id.size / 2);
    bytes_free(&id);
}

TEST_RIG(IdDiff, OfEqualIdsIsEmpty)
{
    struct bytes id = engine_id(rig->device);
    expect_id_diff("", &id, &id);
    bytes_free(&id);
}

TEST_RIG(IdDiff, FollowsTheRuleOfSizes)
{
    char names[64];
    size_t size = 0;
    struct bytes a = engine_id(rig->device);
    struct bytes blob = engine_blob(rig->engine);
    struct bytes other = blob_with_other_field(&blob, id_driver_version);
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    ASSERT_OK(inspect(&other, &info));
    EXPECT_OK(dnnl_cache_id_diff(
            a.size, a.data, info.id_size, info.id, &size, NULL));
    EXPECT_EQ(sizeof "driver_version", size);
    memset(names, 'x', sizeof names);
    size--;
    EXPECT_STATUS(dnnl_invalid_arguments,
            dnnl_cache_id_diff(
                    a.size, a.data, info.id_size, info.id, &size, names));
    EXPECT_EQ(sizeof "driver_version", size);
    EXPECT_EQ('x', names[0]);
    size = sizeof names;
    EXPECT_OK(dnnl_cache_id_diff(
            a.size, a.data, info.id_size, info.id, &size, names));
    EXPECT_EQ(sizeof "driver_version", size);
    EXPECT_STR_EQ("driver_version", names);
    bytes_free(&a);
    bytes_free(&blob);
    bytes_free(&other);
}

TEST_RIG(IdDiff, NamesTheKindToo)
{
    dnnl_cache_program_desc_t desc = describe(rig->engine, scale_source, NULL);
    struct bytes engine = engine_id(rig->device);
    struct bytes program = program_id(desc);
    expect_id_diff(
            "kind, library_version, library_source_digest, library_git_hash, "
            "blob_format_version, capture_version, finaliser_version, "
            "identity_version, include_scanner_version, source, build_options",
            &engine, &program);
    bytes_free(&engine);
    bytes_free(&program);
    EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
}

TEST_RIG(IdDiff, RefusesWhatIsNoId)
{
    size_t size = 77;
    struct bytes id = engine_id(rig->device);
    EXPECT_STATUS(dnnl_cache_blob_corrupt,
            dnnl_cache_id_diff(id.size, id.data, 7, (const uint8_t *)"garbage",
                    &size, NULL));
    EXPECT_STATUS(dnnl_cache_blob_corrupt,
            dnnl_cache_id_diff(7, (const uint8_t *)"garbage", id.size, id.data,
                    &size, NULL));
    EXPECT_EQ(77, size);
    bytes_free(&id);
}

/* ---- Structs that grow --------------------------------------------------- */

/* A struct as an older or newer caller declares it: with room behind it. */
struct declared {
    union {
        size_t struct_size;
        dnnl_cache_creation_info_t creation;
        dnnl_cache_blob_info_t blob;
        dnnl_cache_id_field_t field;
        dnnl_cache_statistics_t statistics;
    } known;
    unsigned char room[256];
};

/* Fills in a struct; the first one is what it calls for. */
typedef dnnl_status_t fill(const struct rig *rig, void *out);

static dnnl_status_t fill_creation_info(const struct rig *rig, void *out)
{
    return dnnl_cache_engine_get_creation_info(rig->engine, out);
}

static dnnl_status_t fill_statistics(const struct rig *rig, void *out)
{
    (void)rig;
    return dnnl_cache_get_statistics(out);
}

static dnnl_status_t fill_blob_info(const struct rig *rig, void *out)
{
    static uint8_t kept[4096];
    size_t size = sizeof kept;
    dnnl_status_t st =
            dnnl_ocl_interop_engine_get_cache_blob(rig->engine, &size, kept);
    return st == dnnl_success ? dnnl_cache_blob_inspect(size, kept, out) : st;
}

static dnnl_status_t fill_field(const struct rig *rig, void *out)
{
    static uint8_t kept[4096];
    size_t size = sizeof kept;
    dnnl_status_t st =
            dnnl_ocl_interop_engine_get_cache_blob_id(rig->device, &size, kept);
    return st == dnnl_success ? dnnl_cache_id_get_field(size, kept, 0, out)
                              : st;
}

static dnnl_status_t fill_next_field(const struct rig *rig, void *out)
{
    static uint8_t kept[4096];
    size_t size = sizeof kept;
    size_t position = 0;
    dnnl_status_t st =
            dnnl_ocl_interop_engine_get_cache_blob_id(rig->device, &size, kept);
    if (st == dnnl_success)
        st = dnnl_cache_id_next_field(size, kept, &position, out);
    EXPECT_EQ(st == dnnl_success, position > 0);
    return st;
}

static const struct {
    fill *fill;
    size_t size;
} structs[] = {{fill_creation_info, sizeof(dnnl_cache_creation_info_t)},
        {fill_statistics, sizeof(dnnl_cache_statistics_t)},
        {fill_blob_info, sizeof(dnnl_cache_blob_info_t)},
        {fill_field, sizeof(dnnl_cache_id_field_t)},
        {fill_next_field, sizeof(dnnl_cache_id_field_t)}};

enum { STRUCT_COUNT = sizeof structs / sizeof structs[0] };

/* An older caller's struct is filled in as far as it goes. */
TEST_RIG(StructSize, SmallerIsFilledInAsFarAsItGoes)
{
    for (size_t i = 0; i < STRUCT_COUNT; i++) {
        for (size_t size = sizeof(size_t); size < structs[i].size; size++) {
            struct declared d;
            memset(&d, 0xa5, sizeof d);
            d.known.struct_size = size;
            EXPECT_OK(structs[i].fill(rig, &d));
            EXPECT_EQ(size, d.known.struct_size);
            for (size_t at = size; at < sizeof d; at++)
                EXPECT_EQ(0xa5, ((unsigned char *)&d)[at]);
        }
    }
}

TEST_RIG(StructSize, LargerWithAZeroTailIsFine)
{
    for (size_t i = 0; i < STRUCT_COUNT; i++) {
        struct declared d;
        memset(&d, 0, sizeof d);
        d.known.struct_size = sizeof d;
        EXPECT_OK(structs[i].fill(rig, &d));
        EXPECT_EQ(sizeof d, d.known.struct_size);
        for (size_t at = structs[i].size; at < sizeof d; at++)
            EXPECT_EQ(0, ((unsigned char *)&d)[at]);
    }
}

/* What this library does not know is not asked of it. */
TEST_RIG(StructSize, LargerWithANonzeroTailIsRefused)
{
    for (size_t i = 0; i < STRUCT_COUNT; i++) {
        struct declared d;
        struct declared before;
        memset(&d, 0, sizeof d);
        d.known.struct_size = sizeof d;
        ((unsigned char *)&d)[sizeof d - 1] = 1;
        before = d;
        EXPECT_STATUS(dnnl_invalid_arguments, structs[i].fill(rig, &d));
        EXPECT_BYTES_EQ(&before, sizeof before, &d, sizeof d);
    }
}

TEST_RIG(StructSize, TooSmallForItselfIsRefused)
{
    for (size_t i = 0; i < STRUCT_COUNT; i++) {
        for (size_t size = 0; size < sizeof(size_t); size++) {
            struct declared d;
            struct declared before;
            memset(&d, 0xa5, sizeof d);
            d.known.struct_size = size;
            before = d;
            EXPECT_STATUS(dnnl_invalid_arguments, structs[i].fill(rig, &d));
            EXPECT_BYTES_EQ(&before, sizeof before, &d, sizeof d);
        }
    }
}
