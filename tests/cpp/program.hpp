// SPDX-License-Identifier: Apache-2.0
// The same for programs in C++.
#ifndef DNNL_CACHE_TESTS_CPP_PROGRAM_HPP
#define DNNL_CACHE_TESTS_CPP_PROGRAM_HPP

#include "oneapi/dnnl/dnnl.hpp"
#include "oneapi/dnnl/dnnl_debug.h"
#include "program.h"

#include <cstdio>
#include <cstring>
#include <exception>
#include <vector>

inline dnnl::engine program_engine()
{
    return dnnl::engine(dnnl::engine::kind::gpu, program_engine_index());
}

// Copies numbers to a memory object, and from one after its stream is done.
inline void write_memory(
        const dnnl::memory &memory, const std::vector<float> &values)
{
    float *mapped = memory.map_data<float>();
    std::memcpy(mapped, values.data(), values.size() * sizeof(float));
    memory.unmap_data(mapped);
}

inline std::vector<float> read_memory(const dnnl::memory &memory)
{
    std::vector<float> values(memory.get_desc().get_size() / sizeof(float));
    float *mapped = memory.map_data<float>();
    std::memcpy(values.data(), mapped, values.size() * sizeof(float));
    memory.unmap_data(mapped);
    return values;
}

// Numbers of both signs that floats have exactly: sums and products of a few
// thousand of them are exact, too.
inline std::vector<float> some_numbers(size_t count)
{
    std::vector<float> values(count);
    for (size_t i = 0; i < count; i++)
        values[i] = static_cast<float>(static_cast<int>(i * 7 % 23) - 11);
    return values;
}

// Runs the program and tells what it throws.
inline int run_program(bool (*program)())
{
    try {
        return program() ? 0 : 1;
    } catch (const dnnl::error &e) {
        std::fprintf(stderr, "%s: %s\n", e.what(), dnnl_status2str(e.status));
    } catch (const std::exception &e) {
        std::fprintf(stderr, "%s\n", e.what());
    }
    return 1;
}

#endif // DNNL_CACHE_TESTS_CPP_PROGRAM_HPP
