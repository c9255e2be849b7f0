// SPDX-License-Identifier: Apache-2.0
// Stores on disk in C++, and what is left to their journals. The fake driver
// says that it is PoCL (FAKE_OPENCL_PLATFORM_NAME), whose captures are costly.
#include <dnnl_cache/journal.h>
#include <dnnl_cache/persistent_cache.hpp>
#include <dnnl_cache/store.hpp>

#include "fake_device.hpp"

#include <stdexcept>
#include <string>

using dnnl::cache::attached_store;
using dnnl::cache::capture_all;
using dnnl::cache::disk_store;
using dnnl::cache::program;
using dnnl::cache::program_desc;

namespace
{

std::string place(const char *name)
{
    return std::string(test_directory()) + "/" + name;
}

uint64_t launches_in_journal(const disk_store &s)
{
    dnnl_cache_store_journal_statistics statistics =
            DNNL_CACHE_STORE_JOURNAL_STATISTICS_INIT;
    EXPECT_EQ(dnnl_success, dnnl_cache_store_journal_get_statistics(
                                    s.get_handle(), &statistics));
    return statistics.launches;
}

class CppStores : public FakeDevice
{
};

} // namespace

// The calls of oneDNN's proposal, as it declares them.
TEST_F(CppStores, OfTheProposalAreAPersistentCache)
{
    dnnl::status (*const set_enabled)(int, dnnl::engine::kind) =
            dnnl::set_persistent_cache;
    bool (*const get_enabled)(dnnl::engine::kind) = dnnl::get_persistent_cache;
    dnnl::status (*const set_capacity)(int) =
            dnnl::set_persistent_cache_capacity;
    int (*const get_capacity)() = dnnl::get_persistent_cache_capacity;
    dnnl::status (*const set_dir)(const std::string &) =
            dnnl::set_persistent_cache_dir;
    EXPECT_EQ(0, get_capacity()); // nothing was set yet
    EXPECT_TRUE(get_enabled(dnnl::engine::kind::gpu));
    EXPECT_FALSE(get_enabled(dnnl::engine::kind::cpu));
    EXPECT_EQ(dnnl_invalid_arguments,
            thrown_by([&] { get_enabled(dnnl::engine::kind::any); }));
    EXPECT_EQ(dnnl::status::unimplemented,
            set_enabled(1, dnnl::engine::kind::cpu));
    EXPECT_EQ(dnnl::status::invalid_arguments, set_capacity(-1));
    EXPECT_EQ(dnnl::status::invalid_arguments, set_dir(""));

    EXPECT_EQ(dnnl::status::success, set_dir(place("persistent")));
    EXPECT_EQ(DNNL_CACHE_PERSISTENT_DEFAULT_CAPACITY, get_capacity());
    EXPECT_EQ(dnnl::status::success, set_capacity(3));
    EXPECT_EQ(3, get_capacity());
    program(program_desc(engine(), source)).capture();
    EXPECT_EQ(dnnl::status::success, set_enabled(0, dnnl::engine::kind::gpu));
    EXPECT_FALSE(get_enabled(dnnl::engine::kind::gpu));
    {
        disk_store kept(place("persistent"), "bucket");
        bytes blob;
        EXPECT_TRUE(kept.get(
                program_desc(engine(), source).get_cache_blob_id(), blob));
        EXPECT_EQ(3u << 20, kept.get_totals().capacity_bytes);
    }
    EXPECT_EQ(dnnl::status::success, set_capacity(0));
}

TEST_F(CppStores, KeepProgramsOnDisk)
{
    bytes id;
    {
        disk_store s(place("kept"));
        const attached_store attached(s);
        const program_desc desc(engine(), source);
        const program p(desc);
        p.capture();
        id = desc.get_cache_blob_id();
        EXPECT_LE(1u, s.get_statistics().puts);
    }
    disk_store s(place("kept"));
    const attached_store attached(s);
    const program p(program_desc(engine(), source));
    EXPECT_EQ(dnnl_cache_origin_store_hit, p.get_creation_info().origin);
    EXPECT_EQ(1u, s.get_statistics().hits);
    EXPECT_LE(1u, s.get_totals().puts);

    bytes blob;
    EXPECT_TRUE(s.get(id, blob));
    EXPECT_EQ(p.get_cache_blob(), blob);
    s.remove(id);
    EXPECT_FALSE(s.get(id, blob));
    s.put(id, blob, DNNL_CACHE_STORE_METADATA_INIT);
    EXPECT_TRUE(s.get(id, blob));
    EXPECT_EQ(0u, s.verify().damaged);
    const uint64_t entries = s.verify(true).intact;
    EXPECT_LE(1u, entries);
    EXPECT_EQ(entries, s.trim(0));
    EXPECT_FALSE(s.get(id, blob));
}

TEST_F(CppStores, AreOfTheTypeAndOptionsThatAreAskedFor)
{
    dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    options.capacity = dnnl_cache_store_megabytes(3);
    disk_store pack(place("a.pack"), options, "pack");
    pack.put({1}, {2, 3}, DNNL_CACHE_STORE_METADATA_INIT);
    EXPECT_EQ(3u << 20, pack.get_totals().capacity_bytes);
    EXPECT_STREQ("pack",
            dnnl_cache_store_find_type_at(place("a.pack").c_str(), nullptr)
                    ->name);
    EXPECT_EQ(dnnl_invalid_arguments,
            thrown_by([] { disk_store(place("b"), "no such type"); }));
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([] {
        dnnl_cache_store_options none = DNNL_CACHE_STORE_OPTIONS_INIT;
        none.struct_size = 0;
        disk_store(place("b"), none);
    }));
    // A directory's store where there is a file.
    EXPECT_NE(dnnl_success, thrown_by([] { disk_store(place("a.pack")); }));
}

TEST_F(CppStores, NoteLaunchesInTheirJournal)
{
    disk_store s(place("noted"));
    const attached_store attached(s);
    const dnnl::engine e = engine();
    const program p(program_desc(e, source));
    p.note_launch("scale", {640}, {64});
    EXPECT_EQ(1u, launches_in_journal(s));
    p.note_launch("scale", {640}, {64}, {0});
    EXPECT_EQ(1u, launches_in_journal(s)); // the same
    p.note_launch("scale", {640, 2});
    p.note_launch("scale", {640, 2}, {64, 1}, {0, 8});
    EXPECT_EQ(3u, launches_in_journal(s));
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&p] {
        p.note_launch("scale", {640}, {64, 1});
    }));
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&p] {
        p.note_launch("scale", {640}, {}, {0, 0});
    }));
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&p] {
        p.note_launch("scale", {1, 1, 1, 1});
    }));
    EXPECT_EQ(dnnl_invalid_arguments,
            thrown_by([&p] { p.note_launch("scale", {}); }));
    EXPECT_EQ(dnnl_invalid_arguments,
            thrown_by([&p] { p.note_launch("scale", {0}); }));
    EXPECT_EQ(3u, launches_in_journal(s));
}

TEST_F(CppStores, GetAllThatWaits)
{
    disk_store s(place("captured"));
    const attached_store attached(s);
    const dnnl::engine e = engine();
    const program first(program_desc(e, source, "-DN=1"));
    const program second(program_desc(e, source, "-DN=2"));
    first.note_launch("scale", {640}, {64});
    second.note_launch("scale", {640}, {64});
    size_t calls = 0;
    const dnnl_cache_capture_options_t options =
            DNNL_CACHE_CAPTURE_OPTIONS_INIT;
    EXPECT_FALSE(capture_all(
            e, options, [&calls](const dnnl_cache_capture_progress_t &p) {
                EXPECT_EQ(2u, p.total);
                return ++calls < 2;
            }));
    EXPECT_EQ(2u, calls);
    EXPECT_THROW(capture_all(e, options,
                         [](const dnnl_cache_capture_progress_t &) -> bool {
                             throw std::out_of_range("of the callback");
                         }),
            std::out_of_range);
    EXPECT_TRUE(capture_all(e));
    bytes blob;
    EXPECT_TRUE(
            s.get(program_desc(e, source, "-DN=1").get_cache_blob_id(), blob));
    EXPECT_TRUE(
            s.get(program_desc(e, source, "-DN=2").get_cache_blob_id(), blob));
    EXPECT_EQ(dnnl_invalid_arguments,
            thrown_by([] { capture_all(dnnl::engine()); }));
}
