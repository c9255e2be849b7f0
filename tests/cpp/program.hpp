// SPDX-License-Identifier: Apache-2.0
// The same for programs in C++.
#ifndef DNNL_CACHE_TESTS_CPP_PROGRAM_HPP
#define DNNL_CACHE_TESTS_CPP_PROGRAM_HPP

#include "oneapi/dnnl/dnnl.hpp"
#include "oneapi/dnnl/dnnl_debug.h"
#include "program.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <vector>

inline dnnl::engine program_engine()
{
    return dnnl::engine(dnnl::engine::kind::gpu, program_engine_index());
}

// Copies elements to a memory object, and from one after its stream is done.
template <typename T>
void write_elements(const dnnl::memory &memory, const std::vector<T> &elements)
{
    T *mapped = memory.map_data<T>();
    std::memcpy(mapped, elements.data(), elements.size() * sizeof(T));
    memory.unmap_data(mapped);
}

template <typename T> std::vector<T> read_elements(const dnnl::memory &memory)
{
    std::vector<T> elements(memory.get_desc().get_size() / sizeof(T));
    T *mapped = memory.map_data<T>();
    std::memcpy(elements.data(), mapped, elements.size() * sizeof(T));
    memory.unmap_data(mapped);
    return elements;
}

inline void write_memory(
        const dnnl::memory &memory, const std::vector<float> &values)
{
    write_elements(memory, values);
}

inline std::vector<float> read_memory(const dnnl::memory &memory)
{
    return read_elements<float>(memory);
}

// A memory object with elements in it.
template <typename T>
dnnl::memory make_memory(const dnnl::memory::desc &md,
        const dnnl::engine &engine, const std::vector<T> &elements)
{
    dnnl::memory memory(md, engine);
    write_elements(memory, elements);
    return memory;
}

// The same elements in the layout that is wanted; the same object if they are.
inline dnnl::memory in_layout(const dnnl::memory::desc &wanted,
        const dnnl::memory &given, dnnl::stream &stream)
{
    if (given.get_desc() == wanted) return given;
    dnnl::memory made(wanted, given.get_engine());
    dnnl::reorder(given, made).execute(stream, given, made);
    return made;
}

// The elements of a memory object as numbers, in the plain order.
template <typename T>
std::vector<float> read_numbers(const dnnl::memory &memory)
{
    const std::vector<T> elements = read_elements<T>(memory);
    return std::vector<float>(elements.begin(), elements.end());
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

// Are they the same numbers, or as close as rounding makes them?
inline bool same(const char *what, const std::vector<float> &expected,
        const std::vector<float> &actual, float tolerance = 0.0f)
{
    if (expected.size() != actual.size()) {
        std::fprintf(stderr, "%s: %zu elements, not %zu\n", what, actual.size(),
                expected.size());
        return false;
    }
    for (size_t i = 0; i < expected.size(); i++) {
        if (std::fabs(actual[i] - expected[i]) <= tolerance) continue;
        std::fprintf(stderr, "%s: element %zu is %g, not %g\n", what, i,
                static_cast<double>(actual[i]),
                static_cast<double>(expected[i]));
        return false;
    }
    std::printf("%s: right\n", what);
    return true;
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
