// SPDX-License-Identifier: Apache-2.0
// Handles, errors, descriptors and memory of dnnl_cache.hpp.
#include "fake_device.hpp"

#include <memory>
#include <type_traits>
#include <utility>

using dnnl::memory;

// ---- Handles
// -----------------------------------------------------------------

class CppHandle : public FakeDevice
{
};

TEST_F(CppHandle, CopiesShareAndTheLastOneDestroys)
{
    const size_t before = fake_opencl_live_objects(nullptr);
    {
        dnnl::stream outer;
        {
            dnnl::stream inner(engine());
            outer = inner;
            EXPECT_EQ(inner, outer);
            EXPECT_EQ(inner.get(), outer.get());
        }
        EXPECT_LT(before, fake_opencl_live_objects(nullptr));
        outer.wait();
    }
    EXPECT_EQ(before, fake_opencl_live_objects(nullptr));
}

TEST_F(CppHandle, MoveLeavesNothingBehind)
{
    dnnl::engine from = engine();
    const dnnl_engine_t object = from.get();
    const dnnl::engine to = std::move(from);
    EXPECT_EQ(object, to.get());
    EXPECT_FALSE(static_cast<bool>(from)); // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] { from.get(); }));
}

TEST_F(CppHandle, ResetDestroysAndTakesOver)
{
    const size_t before = fake_opencl_live_objects(nullptr);
    dnnl::stream s(engine());
    dnnl_engine_t object = nullptr;
    s.reset(nullptr);
    EXPECT_EQ(before, fake_opencl_live_objects(nullptr));
    EXPECT_FALSE(static_cast<bool>(s));

    ASSERT_EQ(dnnl_success,
            dnnl_ocl_interop_engine_create(&object, device_, context_));
    dnnl::engine e;
    e.reset(object);
    EXPECT_EQ(object, static_cast<dnnl_engine_t>(e));
    EXPECT_EQ(dnnl::engine::kind::gpu, e.get_kind());
}

TEST_F(CppHandle, WeakOneOwnsNothing)
{
    const dnnl::engine owner = engine();
    {
        const dnnl::engine weak(owner.get(), true);
        const dnnl::engine copy = weak;
        EXPECT_EQ(owner, copy);
    }
    EXPECT_EQ(dnnl::engine::kind::gpu, owner.get_kind());
    dnnl::stream s(owner);
    EXPECT_EQ(owner, s.get_engine());
    EXPECT_EQ(owner, memory(vector_desc(4), owner).get_engine());
}

TEST_F(CppHandle, EmptyOneThrowsWhereAnObjectIsNeeded)
{
    const dnnl::engine empty;
    const dnnl::primitive nothing;
    EXPECT_EQ(nullptr, empty.get(true));
    EXPECT_EQ(nullptr, static_cast<dnnl_engine_t>(empty));
    EXPECT_EQ(empty, dnnl::engine());
    EXPECT_NE(empty, engine());
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] { empty.get(); }));
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] { empty.get_kind(); }));
    EXPECT_EQ(
            dnnl_invalid_arguments, thrown_by([&] { dnnl::stream s(empty); }));
    EXPECT_EQ(dnnl_invalid_arguments,
            thrown_by([&] { nothing.get_cache_blob(); }));
}

// What a primitive needs, it keeps.
TEST_F(CppHandle, PrimitiveOutlivesItsDescriptor)
{
    const dnnl::engine e = engine();
    dnnl::eltwise_forward relu;
    memory m(vector_desc(16), e);
    {
        const auto pd = relu_desc(e);
        relu = dnnl::eltwise_forward(pd);
    }
    dnnl::stream s(e);
    unsigned runs = 0;
    fake_opencl_set_kernel_body(
            "eltwise",
            [](const fake_opencl_launch *, size_t, const fake_opencl_arg *,
                    void *user) { ++*static_cast<unsigned *>(user); },
            &runs);
    relu.execute(s, {{DNNL_ARG_SRC, m}, {DNNL_ARG_DST, m}});
    s.wait();
    fake_opencl_set_kernel_body("eltwise", nullptr, nullptr);
    EXPECT_EQ(1u, runs);
}

// ---- Errors
// ------------------------------------------------------------------

class CppError : public FakeDevice
{
};

TEST_F(CppError, HasTheStatusOfTheCall)
{
    EXPECT_EQ(dnnl_invalid_arguments,
            thrown_by([] { dnnl::engine e(dnnl::engine::kind::gpu, 1000); }));
    EXPECT_EQ(dnnl_invalid_arguments,
            thrown_by([] { dnnl::set_primitive_cache_capacity(-1); }));
    const dnnl::engine e = engine();
    ASSERT_EQ(dnnl_success, dnnl_cache_engine_set_compile_mode(e.get(),
                                    dnnl_cache_compile_mode_cached_only));
    EXPECT_EQ(dnnl_cache_miss, thrown_by([&] { relu_desc(e); }));
    fake_opencl_fail_any(1, CL_OUT_OF_HOST_MEMORY);
    EXPECT_EQ(dnnl_out_of_memory, thrown_by([&] { dnnl::stream s(e); }));
}

TEST_F(CppError, IsAStandardException)
{
    EXPECT_TRUE((std::is_base_of<std::exception, dnnl::error>::value));
    EXPECT_NO_THROW(dnnl::error::wrap_c_api(dnnl_success, "nothing"));
    try {
        dnnl::error::wrap_c_api(dnnl_cache_blob_stale, "words");
        FAIL();
    } catch (const std::exception &e) {
        EXPECT_STREQ("words", e.what());
    }
    EXPECT_EQ(dnnl_cache_blob_stale,
            dnnl::convert_to_c(dnnl::status::cache_blob_stale));
}

// ---- Memory descriptors
// ------------------------------------------------------

typedef memory::data_type dt;
typedef memory::format_tag tag;
typedef memory::dims dims;

TEST(CppMemoryDesc, TellsWhatItDescribes)
{
    const memory::desc md({2, 3, 4, 5}, dt::f32, tag::nhwc);
    EXPECT_EQ(4, md.get_ndims());
    EXPECT_EQ(dims({2, 3, 4, 5}), md.get_dims());
    EXPECT_EQ(dims({2, 3, 4, 5}), md.get_padded_dims());
    EXPECT_EQ(dims({0, 0, 0, 0}), md.get_padded_offsets());
    EXPECT_EQ(dims({60, 1, 15, 3}), md.get_strides());
    EXPECT_EQ(dt::f32, md.get_data_type());
    EXPECT_EQ(memory::format_kind::blocked, md.get_format_kind());
    EXPECT_EQ(0, md.get_submemory_offset());
    EXPECT_EQ(0, md.get_inner_nblks());
    EXPECT_TRUE(md.get_inner_blks().empty());
    EXPECT_TRUE(md.get_inner_idxs().empty());
    EXPECT_EQ(2u * 3 * 4 * 5 * 4, md.get_size());
    EXPECT_FALSE(md.is_zero());
    EXPECT_EQ(2u, memory::data_type_size(dt::f16));
}

TEST(CppMemoryDesc, OfATagEqualsThatOfItsStrides)
{
    const memory::desc tagged({2, 3, 4, 5}, dt::f32, tag::nhwc);
    const memory::desc strided({2, 3, 4, 5}, dt::f32, dims({60, 1, 15, 3}));
    EXPECT_EQ(tagged, strided);
    EXPECT_NE(tagged, memory::desc({2, 3, 4, 5}, dt::f32, tag::nchw));
    EXPECT_NE(tagged, memory::desc({2, 3, 4, 5}, dt::s32, tag::nhwc));
    EXPECT_EQ(memory::desc({6, 7}, dt::f32, tag::ab),
            memory::desc({6, 7}, dt::f32, dims()));
    EXPECT_TRUE(memory::desc({6, 7}, dt::f32, tag::any).get_strides().empty());
}

TEST(CppMemoryDesc, MayDescribeNothing)
{
    const memory::desc md;
    EXPECT_TRUE(md.is_zero());
    EXPECT_EQ(0, md.get_ndims());
    EXPECT_EQ(0u, md.get_size());
    EXPECT_EQ(dt::undef, md.get_data_type());
    EXPECT_EQ(memory::format_kind::undef, md.get_format_kind());
    EXPECT_TRUE(md.get_dims().empty());
    EXPECT_TRUE(md.get_strides().empty());
    EXPECT_EQ(md, memory::desc());
}

TEST(CppMemoryDesc, ThatFailsThrowsOrIsEmpty)
{
    EXPECT_EQ(dnnl_invalid_arguments,
            thrown_by([] { memory::desc md({-1}, dt::f32, tag::a); }));
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([] {
        memory::desc md({1, 2}, dt::f32, tag::a);
    }));
    EXPECT_EQ(dnnl_invalid_arguments,
            thrown_by([] { memory::desc md({2}, dt::f32, dims({-1})); }));
    const memory::desc empty({-1}, dt::f32, tag::a, true);
    EXPECT_FALSE(static_cast<bool>(empty));
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] { empty.get_ndims(); }));
    EXPECT_FALSE(
            static_cast<bool>(memory::desc({2}, dt::f32, dims({-1}), true)));
    EXPECT_NE(memory::desc(), empty);
    EXPECT_EQ(empty, empty);
}

// The C interface reads as many numbers as there are dimensions.
TEST(CppMemoryDesc, RefusesListsThatAreTooLongOrTooShort)
{
    const dims thirteen(DNNL_MAX_NDIMS + 1, 1);
    EXPECT_EQ(dnnl_invalid_arguments,
            thrown_by([&] { memory::desc(thirteen, dt::f32, dims(), true); }));
    EXPECT_EQ(dnnl_invalid_arguments,
            thrown_by([&] { memory::desc(thirteen, dt::f32, tag::a, true); }));
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([] {
        memory::desc({2, 3}, dt::f32, dims({3}), true);
    }));
}

TEST(CppMemoryDesc, MayHaveBlocks)
{
    const memory::desc md({10, 20, 3, 4}, dt::f32, tag::ABcd16a16b);
    EXPECT_EQ(2, md.get_inner_nblks());
    EXPECT_EQ(dims({16, 16}), md.get_inner_blks());
    EXPECT_EQ(dims({0, 1}), md.get_inner_idxs());
    EXPECT_EQ(dims({16, 32, 3, 4}), md.get_padded_dims());
    EXPECT_EQ(16u * 32 * 3 * 4 * 4, md.get_size());
    EXPECT_EQ(md, memory::desc(md.get_blob()));
}

TEST(CppMemoryDesc, GivesOthersOfTheSameElements)
{
    const memory::desc md({2, 3, 4}, dt::f32, tag::abc);
    EXPECT_EQ(memory::desc({6, 4}, dt::f32, tag::ab), md.reshape({6, 4}));
    EXPECT_EQ(memory::desc({3, 2, 4}, dt::f32, tag::bac),
            md.permute_axes({1, 0, 2}));
    const memory::desc part = md.submemory_desc({1, 3, 2}, {1, 0, 2});
    EXPECT_EQ(dims({1, 3, 2}), part.get_dims());
    EXPECT_EQ(14, part.get_submemory_offset());
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] { md.reshape({5}); }));
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] {
        md.permute_axes({0, 0, 1});
    }));
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] {
        md.submemory_desc({3, 3, 4}, {0, 0, 0});
    }));
    EXPECT_FALSE(md.reshape({5}, true));
    EXPECT_FALSE(md.permute_axes({0, 0, 1}, true));
    EXPECT_FALSE(md.submemory_desc({3, 3, 4}, {0, 0, 0}, true));
}

TEST(CppMemoryDesc, ComesBackFromItsBlob)
{
    const memory::desc md({2, 3}, dt::s8, tag::ba);
    std::vector<uint8_t> blob = md.get_blob();
    EXPECT_EQ(md, memory::desc(blob));
    EXPECT_EQ(blob, memory::desc(blob).get_blob());
    blob[blob.size() / 2] ^= 1;
    EXPECT_EQ(dnnl_cache_blob_corrupt,
            thrown_by([&] { memory::desc damaged(blob); }));
    blob.pop_back();
    EXPECT_EQ(dnnl_invalid_arguments,
            thrown_by([&] { memory::desc shortened(blob); }));
}

TEST(CppMemoryDesc, TakesOverACDescriptor)
{
    const dnnl_dims_t five = {5};
    dnnl_memory_desc_t c_md = nullptr;
    ASSERT_EQ(dnnl_success,
            dnnl_memory_desc_create_with_tag(&c_md, 1, five, dnnl_f32, dnnl_a));
    const memory::desc md = c_md;
    EXPECT_EQ(memory::desc({5}, dt::f32, tag::x), md);
}

// ---- Memory
// ------------------------------------------------------------------

class CppMemory : public FakeDevice
{
};

TEST_F(CppMemory, HasABufferThatCanBeMapped)
{
    const memory m(vector_desc(4), engine());
    float *values = m.map_data<float>();
    ASSERT_NE(nullptr, values);
    values[3] = 7.0f;
    m.unmap_data(values);
    values = static_cast<float *>(m.map_data());
    EXPECT_EQ(7.0f, values[3]);
    m.unmap_data(values);
    EXPECT_EQ(vector_desc(4), m.get_desc());
    EXPECT_EQ(m.get_data_handle(), dnnl::ocl_interop::get_mem_object(m));
}

TEST_F(CppMemory, OfTheHostIsAPointer)
{
    const dnnl::engine host(dnnl::engine::kind::cpu, 0);
    float values[4] = {1, 2, 3, 4};
    const memory m(vector_desc(4), host, values);
    EXPECT_EQ(dnnl::engine::kind::cpu, host.get_kind());
    EXPECT_EQ(values, m.get_data_handle());
    EXPECT_EQ(dnnl_invalid_arguments,
            thrown_by([&] { dnnl::ocl_interop::get_device(host); }));
    EXPECT_EQ(1u, dnnl::engine::get_count(dnnl::engine::kind::cpu));
}

TEST_F(CppMemory, KeepsTheApplicationsBuffer)
{
    const dnnl::engine e = engine();
    cl_int error = CL_SUCCESS;
    cl_mem buffer =
            clCreateBuffer(context_, CL_MEM_READ_WRITE, 64, nullptr, &error);
    ASSERT_EQ(CL_SUCCESS, error);
    memory m = dnnl::ocl_interop::make_memory(vector_desc(16), e, buffer);
    memory none(vector_desc(16), e, DNNL_MEMORY_NONE);
    dnnl::ocl_interop::set_mem_object(none, buffer);
    EXPECT_EQ(CL_SUCCESS, clReleaseMemObject(buffer));
    EXPECT_EQ(buffer, dnnl::ocl_interop::get_mem_object(m));
    EXPECT_EQ(buffer, dnnl::ocl_interop::get_mem_object(none));
    EXPECT_EQ(dnnl::ocl_interop::memory_kind::buffer,
            dnnl::ocl_interop::get_memory_kind(m));
    EXPECT_EQ(dnnl_unimplemented, thrown_by([&] {
        dnnl::ocl_interop::make_memory(
                vector_desc(16), e, dnnl::ocl_interop::memory_kind::usm);
    }));
}

// ---- Streams
// -----------------------------------------------------------------

class CppStream : public FakeDevice
{
};

TEST_F(CppStream, OfTheApplicationsQueue)
{
    const dnnl::engine e = engine();
    cl_int error = CL_SUCCESS;
    cl_command_queue queue = clCreateCommandQueueWithProperties(
            context_, device_, nullptr, &error);
    ASSERT_EQ(CL_SUCCESS, error);
    dnnl::stream s = dnnl::ocl_interop::make_stream(e, queue);
    EXPECT_EQ(CL_SUCCESS, clReleaseCommandQueue(queue));
    EXPECT_EQ(queue, dnnl::ocl_interop::get_command_queue(s));
    EXPECT_EQ(&s, &s.wait());
}

TEST_F(CppStream, OutOfOrderGivesAnEvent)
{
    const dnnl::engine e = engine();
    const dnnl::eltwise_forward relu(relu_desc(e));
    const memory m(vector_desc(16), e);
    const std::unordered_map<int, memory> args = {
            {DNNL_ARG_SRC, m}, {DNNL_ARG_DST, m}, {DNNL_ARG_BIAS, memory()}};
    dnnl::stream ordered(e);
    EXPECT_EQ(nullptr, dnnl::ocl_interop::execute(relu, ordered, args));
    ordered.wait();
    dnnl::stream s(e, dnnl::stream::flags::out_of_order);
    cl_event first = dnnl::ocl_interop::execute(relu, s, args);
    ASSERT_NE(nullptr, first);
    cl_event second = dnnl::ocl_interop::execute(relu, s, args, {first});
    ASSERT_NE(nullptr, second);
    s.wait();
    EXPECT_EQ(CL_SUCCESS, clReleaseEvent(first));
    EXPECT_EQ(CL_SUCCESS, clReleaseEvent(second));
    EXPECT_EQ(dnnl_invalid_arguments, thrown_by([&] {
        relu.execute(s, {{DNNL_ARG_SRC, m}});
    }));
}
