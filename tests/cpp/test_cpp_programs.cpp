// SPDX-License-Identifier: Apache-2.0
// The application's programs, kernels and stores in C++, and the table of the
// names that the linker knows.
#include "dnnl_cache_linker_names.h"
#include "fake_device.hpp"

#include <atomic>
#include <chrono>
#include <dlfcn.h>
#include <map>
#include <stdexcept>
#include <string>

using dnnl::cache::attached_store;
using dnnl::cache::build_job;
using dnnl::cache::build_queue;
using dnnl::cache::build_state;
using dnnl::cache::kernel;
using dnnl::cache::program;
using dnnl::cache::program_desc;

namespace
{

// A store in memory, which may fail.
struct map_store : public dnnl::cache::store {
    std::map<bytes, bytes> blobs;
    bool throws = false;
    dnnl_cache_blob_kind_t last_kind = dnnl_cache_blob_kind_undef;

    bool get(const bytes &id, bytes &blob) override
    {
        if (throws) throw std::runtime_error("a failing store");
        const auto found = blobs.find(id);
        if (found == blobs.end()) return false;
        blob = found->second;
        return true;
    }

    void put(const bytes &id, const bytes &blob,
            const dnnl_cache_store_metadata_t &metadata) override
    {
        if (throws) throw std::bad_alloc();
        last_kind = metadata.kind;
        blobs[id] = blob;
    }

    void remove(const bytes &id) override { blobs.erase(id); }
};

dnnl_cache_origin_t origin_of(const program &p)
{
    return p.get_creation_info().origin;
}

} // namespace

class CppPrograms : public FakeDevice
{
};

TEST_F(CppPrograms, AreCreatedFromSourceAndFromBlobs)
{
    bytes id;
    bytes blob;
    {
        const dnnl::engine e = engine();
        const program_desc desc(e, source, "-DN=1");
        std::string reason = "something";
        EXPECT_TRUE(desc.is_cacheable(&reason));
        EXPECT_EQ("", reason);
        const program p(desc);
        EXPECT_EQ(dnnl_cache_origin_compiled, origin_of(p));
        EXPECT_NE(nullptr, p.get_ocl_program());
        p.set_user_data({1, 2, 3});
        p.capture();
        id = desc.get_cache_blob_id();
        blob = p.get_cache_blob();
        EXPECT_FALSE(id.empty());
        EXPECT_FALSE(blob.empty());
        EXPECT_EQ(dnnl_cache_origin_memory_hit, origin_of(program(desc)));
    }
    const dnnl::engine e = engine();
    const program_desc desc(e, std::vector<std::string>{source}, "-DN=1");
    EXPECT_EQ(id, desc.get_cache_blob_id());
    const unsigned long builds = fake_opencl_source_builds();
    const program p(desc, blob);
    EXPECT_EQ(builds, fake_opencl_source_builds());
    EXPECT_EQ((bytes{1, 2, 3}), p.get_user_data());
    EXPECT_EQ(blob, p.get_cache_blob());
    EXPECT_NE(id, program_desc(e, source, "-DN=2").get_cache_blob_id());
}

TEST_F(CppPrograms, ShareAndMoveTheirObjects)
{
    const program_desc desc(engine(), source);
    program p(desc);
    program copy = p;
    const program moved = std::move(p);
    EXPECT_FALSE(p); // NOLINT(bugprone-use-after-move)
    EXPECT_TRUE(copy == moved);
    // NOLINTNEXTLINE(bugprone-use-after-move)
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&p] { p.capture(); }));
    const program adopted = program::adopt(desc, copy.get_ocl_program());
    EXPECT_EQ(dnnl_cache_origin_adopted, origin_of(adopted));
    EXPECT_FALSE(adopted.is_cacheable());
}

TEST_F(CppPrograms, HaveTheIngredientsOfTheirDescriptors)
{
    const dnnl::engine e = engine();
    const bytes plain = program_desc(e, source).get_cache_blob_id();
    EXPECT_NE(plain, program_desc(e, source).add_key({7}).get_cache_blob_id());
    program_desc includes(e, "#include \"a.h\"\n");
    std::string reason;
    EXPECT_FALSE(program_desc(e, "#include \"a.h\"\n").is_cacheable(&reason));
    EXPECT_NE(std::string::npos, reason.find("a.h"));
    EXPECT_TRUE(includes.add_header("a.h", source).is_cacheable());
    program_desc known(e, "#include \"a.h\"\n");
    EXPECT_TRUE(known.set_includes_known().is_cacheable());
    EXPECT_EQ(dnnl_invalid_arguments,
            thrown_by([&includes] { includes.add_header("b.h", "x"); }));
    EXPECT_EQ(dnnl_invalid_arguments,
            thrown_by([&e] { program_desc(e, std::vector<std::string>()); }));
}

TEST_F(CppPrograms, HaveKernels)
{
    const program_desc desc(engine(), source);
    const kernel k(desc, "scale");
    EXPECT_NE(nullptr, k.get_ocl_kernel());
    const kernel other(program(desc), "scale");
    EXPECT_NE(k.get_ocl_kernel(), other.get_ocl_kernel());
    EXPECT_EQ(dnnl_invalid_arguments,
            thrown_by([&desc] { kernel(desc, "not_there"); }));
}

TEST_F(CppPrograms, AreBuiltInTheBackground)
{
    const dnnl::engine e = engine();
    std::atomic<int> ended(0);
    build_job left;
    {
        const build_queue queue(1);
        fake_opencl_block_builds(true);
        const build_job first = queue.submit(program_desc(e, source));
        ASSERT_TRUE(fake_opencl_wait_for_blocked_builds(1));
        const auto count = [&ended](const build_job &job, dnnl_status_t st) {
            EXPECT_EQ(st == dnnl_success, job.get_state() == build_state::done);
            ended++;
        };
        const build_job urgent =
                queue.submit(program_desc(e, source, "-DN=1"), 5, count);
        const build_job unwanted =
                queue.submit(program_desc(e, source, "-DN=2"), 0, count);
        left = queue.submit(program_desc(e, "FAKE_BUILD_FAILURE"), 0, count);
        EXPECT_FALSE(first.wait_for(std::chrono::milliseconds(1)));
        EXPECT_EQ(build_state::building, first.get_state());
        EXPECT_EQ(build_state::waiting, urgent.get_state());
        EXPECT_TRUE(urgent.set_priority(-5));
        EXPECT_FALSE(first.set_priority(9));
        EXPECT_TRUE(unwanted.cancel());
        EXPECT_FALSE(unwanted.cancel());
        EXPECT_EQ(1, ended);
        EXPECT_EQ(dnnl_not_required,
                thrown_by([&unwanted] { unwanted.get_program(); }));
        fake_opencl_block_builds(false);
        EXPECT_EQ(dnnl_cache_origin_compiled, origin_of(urgent.get_program()));
        queue.wait();
        EXPECT_EQ(2u, queue.get_progress().done);
        EXPECT_EQ(1u, queue.get_progress().failed);
        EXPECT_TRUE(first.wait_for(std::chrono::seconds(0)));
    }
    EXPECT_EQ(3, ended);
    EXPECT_EQ(build_state::failed, left.get_state());
    EXPECT_EQ(dnnl_runtime_error, thrown_by([&left] { left.get_program(); }));
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([] { build_queue(100000); }));
}

TEST_F(CppPrograms, AreBuiltByProcesses)
{
    const dnnl::engine e = engine();
    const build_queue queue(1, dnnl_cache_build_processes_always);
    const build_job job = queue.submit(program_desc(e, source));
    EXPECT_TRUE(job.wait_for(std::chrono::minutes(2)));
    EXPECT_TRUE(job.get_program());
    EXPECT_EQ(1u, queue.get_progress().by_processes);

    dnnl_cache_build_queue_options_t options =
            DNNL_CACHE_BUILD_QUEUE_OPTIONS_INIT;
    options.struct_size = 1;
    EXPECT_EQ(dnnl_invalid_arguments,
            thrown_by([&options] { build_queue bad(options); }));
}

TEST_F(CppPrograms, AreKeptInStoresOfCpp)
{
    map_store s;
    {
        const attached_store attached(s);
        const program p(program_desc(engine(), source));
        p.capture();
    }
    EXPECT_EQ(dnnl_cache_blob_kind_program, s.last_kind);
    const size_t kept = s.blobs.size();
    EXPECT_GE(kept, 1u);
    {
        const dnnl::engine e = engine();
        attached_store first(s, e);
        const attached_store attached = std::move(first);
        EXPECT_FALSE(first); // NOLINT(bugprone-use-after-move)
        EXPECT_TRUE(attached);
        EXPECT_EQ(dnnl_cache_origin_store_hit,
                origin_of(program(program_desc(e, source))));
    }
    // Detached: what is compiled now is not kept.
    program(program_desc(engine(), source, "-DX=1")).capture();
    EXPECT_EQ(kept, s.blobs.size());
    // Callbacks of a store of C, which are this one's here.
    const dnnl_cache_store_t callbacks = s.get_callbacks();
    dnnl::cache::store wrapped(&callbacks);
    const attached_store attached(wrapped);
    EXPECT_EQ(dnnl_cache_origin_store_hit,
            origin_of(program(program_desc(engine(), source))));
    EXPECT_EQ(dnnl_invalid_arguments,
            thrown_by([] { dnnl::cache::store none(nullptr); }));
}

TEST_F(CppPrograms, AreCompiledIfAStoreThrows)
{
    map_store s;
    s.throws = true;
    const attached_store attached(s);
    const program p(program_desc(engine(), source));
    EXPECT_EQ(dnnl_cache_origin_compiled, origin_of(p));
    p.capture();
    EXPECT_TRUE(s.blobs.empty());
}

// Loaded at run time, a function is found by the table's name.
TEST(LinkerNames, AreFoundInTheLibrary)
{
#define ENTRY(name, symbol) {name, symbol},
    static const struct {
        const char *name;
        const char *symbol;
    } table[] = {DNNL_CACHE_LINKER_NAMES(ENTRY)};
#undef ENTRY
    Dl_info self;
    Dl_info library;
    ASSERT_NE(
            0, dladdr(reinterpret_cast<void *>(&thrown_by<void (*)()>), &self));
    ASSERT_NE(
            0, dladdr(reinterpret_cast<void *>(&dnnl_cache_version), &library));
    if (self.dli_fbase == library.dli_fbase)
        GTEST_SKIP() << "linked statically";
    for (const auto &entry : table)
        EXPECT_NE(nullptr, dlsym(RTLD_DEFAULT, entry.symbol)) << entry.name;
    EXPECT_EQ(reinterpret_cast<void *>(&dnnl_engine_create),
            dlsym(RTLD_DEFAULT, "dnnlc_engine_create"));
}
