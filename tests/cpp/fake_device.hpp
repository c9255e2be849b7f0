// SPDX-License-Identifier: Apache-2.0
// A device of the fake driver and a context of it, for tests of
// dnnl_cache.hpp. The driver is found through OCL_ICD_VENDORS, which ctest
// sets.
#ifndef DNNL_CACHE_TESTS_CPP_FAKE_DEVICE_HPP
#define DNNL_CACHE_TESTS_CPP_FAKE_DEVICE_HPP

#include "dnnl_cache.hpp"
#include "fake_opencl_control.h"

#include "counted_gtest.h"

#include <vector>

using bytes = std::vector<uint8_t>;

// A program with one kernel, scale.
const char *const source = "__kernel void scale(__global float *x, float a)\n"
                           "{\n"
                           "    x[get_global_id(0)] *= a;\n"
                           "}\n";

// Assertions are what takes long to compile, and templates are compiled for
// each call: no assertion is in one.
inline dnnl_status_t status_of(const dnnl::error &e)
{
    EXPECT_STREQ(e.message, e.what());
    EXPECT_STRNE("", e.what());
    return e.status;
}

// The status that a call throws; dnnl_success if it throws nothing.
template <typename Call> dnnl_status_t thrown_by(Call call)
{
    try {
        call();
    } catch (const dnnl::error &e) {
        return status_of(e);
    }
    return dnnl_success;
}

// Notes a failure if a test leaves objects of the driver's behind.
class FakeDevice : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        cl_platform_id platform = nullptr;
        cl_int error = CL_SUCCESS;
        objects_ = fake_opencl_live_objects(nullptr);
        ASSERT_EQ(CL_SUCCESS, clGetPlatformIDs(1, &platform, nullptr));
        ASSERT_EQ(CL_SUCCESS, clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1,
                                      &device_, nullptr));
        context_ =
                clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &error);
        ASSERT_EQ(CL_SUCCESS, error);
    }

    void TearDown() override
    {
        dnnl::set_primitive_cache_capacity(0);
        dnnl::set_primitive_cache_capacity(1024);
        EXPECT_EQ(CL_SUCCESS, clReleaseContext(context_));
        EXPECT_EQ(objects_, fake_opencl_live_objects(nullptr));
        EXPECT_EQ(0u, fake_opencl_misuses());
        fake_opencl_reset();
    }

    // An engine of the context; what it has in memory goes with it.
    dnnl::engine engine() const
    {
        return dnnl::ocl_interop::make_engine(device_, context_);
    }

    static dnnl::memory::desc vector_desc(dnnl::memory::dim n)
    {
        return dnnl::memory::desc(
                {n}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::a);
    }

    static dnnl::eltwise_forward::primitive_desc relu_desc(
            const dnnl::engine &engine, dnnl::memory::dim n = 16)
    {
        return dnnl::eltwise_forward::primitive_desc(engine,
                dnnl::prop_kind::forward_inference,
                dnnl::algorithm::eltwise_relu, vector_desc(n), vector_desc(n),
                0.0f);
    }

    size_t objects_ = 0;
    cl_device_id device_ = nullptr;
    cl_context context_ = nullptr;
};

#endif // DNNL_CACHE_TESTS_CPP_FAKE_DEVICE_HPP
