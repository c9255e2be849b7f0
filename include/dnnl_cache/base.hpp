/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base.hpp: what every object of the C++ interface is: a handle, whose calls
 * throw dnnl::error.
 */
#ifndef DNNL_CACHE_BASE_HPP
#define DNNL_CACHE_BASE_HPP

#include "../dnnl_cache.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace dnnl
{
inline namespace dnnlc_0_1
{

/* ==== Statuses and errors ================================================= */

/* Without exceptions (-fno-exceptions, or DNNL_ENABLE_EXCEPTIONS defined as 0),
 * an error is printed and ends the process. */
#ifndef DNNL_ENABLE_EXCEPTIONS
#if defined(__cpp_exceptions) || defined(__EXCEPTIONS)
#define DNNL_ENABLE_EXCEPTIONS 1
#else
#define DNNL_ENABLE_EXCEPTIONS 0
#endif
#endif

/* What a failure does where exceptions are disabled. */
#define DNNL_TRAP() __builtin_trap()

#if DNNL_ENABLE_EXCEPTIONS
/* Throws dnnl::error; msg is static. */
#define DNNL_THROW_ERROR(status, msg) throw error(status, msg)
#else
#define DNNL_THROW_ERROR(status, msg) \
    do {                              \
        (void)(status);               \
        std::fputs(msg, stderr);      \
        DNNL_TRAP();                  \
    } while (0)
#endif

/* What a C call returns: dnnl_status_t with a scope. */
enum class status {
    success = ::dnnl_success,
    out_of_memory = ::dnnl_out_of_memory,
    invalid_arguments = ::dnnl_invalid_arguments,
    unimplemented = ::dnnl_unimplemented,
    last_impl_reached = ::dnnl_last_impl_reached,
    runtime_error = ::dnnl_runtime_error,
    not_required = ::dnnl_not_required,
    invalid_graph = ::dnnl_invalid_graph,
    invalid_graph_op = ::dnnl_invalid_graph_op,
    invalid_shape = ::dnnl_invalid_shape,
    invalid_data_type = ::dnnl_invalid_data_type,
    cache_miss = ::dnnl_cache_miss,
    cache_blob_corrupt = ::dnnl_cache_blob_corrupt,
    cache_blob_stale = ::dnnl_cache_blob_stale,
    cache_blob_unsupported = ::dnnl_cache_blob_unsupported,
};

/* convert_to_c(): the enumerator of C. */
#define DNNL_CACHE_CONVERT(cpp, c)    \
    inline c convert_to_c(cpp value)  \
    {                                 \
        return static_cast<c>(value); \
    }
DNNL_CACHE_CONVERT(status, dnnl_status_t)

/* Thrown by every call that fails: the status, and what could not be done.
 * message has static lifetime; the log callback gets the driver's messages. */
struct error : public std::exception {
    dnnl_status_t status; /* of the C call, or of the check that failed */
    const char *message;  /* static text; never NULL */

    /* amessage is static text. */
    error(dnnl_status_t astatus, const char *amessage) noexcept
        : status(astatus), message(amessage)
    {
    }

    /* The message; never null. */
    const char *what() const noexcept override { return message; }

    /* Throws an error with this status and message, unless it is success. */
    static void wrap_c_api(dnnl_status_t astatus, const char *amessage)
    {
        if (astatus != dnnl_success) DNNL_THROW_ERROR(astatus, amessage);
    }
};

/* ==== Handles ============================================================= */

/* Throws dnnl_invalid_arguments with the message if v has fewer elements than
 * min_size, or more than max_size unless that is negative. */
template <typename T>
void validate_container_size(const T &v, const char *error_message,
        int min_size = 1, int max_size = -1)
{
    const size_t size = v.size();
    if (size < static_cast<size_t>(std::max(min_size, 0))
            || (max_size >= 0 && size > static_cast<size_t>(max_size)))
        DNNL_THROW_ERROR(dnnl_invalid_arguments, error_message);
}

/* How objects of a C type are destroyed. */
template <typename T> struct handle_traits;

/*
 * A reference to an object of the C interface, shared by all copies; the last
 * one destroys the object. Empty after default construction, after a move from
 * it, and after reset(nullptr). T is a pointer such as dnnl_engine_t.
 */
template <typename T, typename traits = handle_traits<T>> struct handle {
    handle() = default;
    handle(const handle &) = default;
    handle(handle &&) = default;
    handle &operator=(const handle &) = default;
    handle &operator=(handle &&) = default;

    /* Takes ownership of a C object. If weak, it does not, and the object must
     * outlive every copy of this handle. */
    explicit handle(T t, bool weak = false) { reset(t, weak); }

    /* Releases the object and refers to t instead, as the constructor does. If
     * memory runs out, t is destroyed. */
    void reset(T t, bool weak = false)
    {
        if (t == nullptr)
            data_.reset();
        else if (weak)
            data_ = pointer(pointer(), t);
        else
            data_.reset(t, destroyer());
    }

    /* The C object, borrowed. If there is none, throws, or returns nullptr with
     * allow_empty. */
    T get(bool allow_empty = false) const
    {
        if (data_ == nullptr && !allow_empty)
            DNNL_THROW_ERROR(dnnl_invalid_arguments, "the object is empty");
        return data_.get();
    }

    /* The same without a throw. */
    explicit operator T() const { return data_.get(); }
    /* Is there an object? */
    explicit operator bool() const { return data_ != nullptr; }

    /* Is it the same object? */
    bool operator==(const handle &other) const { return data_ == other.data_; }
    bool operator!=(const handle &other) const { return data_ != other.data_; }

  private:
    typedef std::shared_ptr<typename std::remove_pointer<T>::type> pointer;

    struct destroyer {
        void operator()(T t) const { (void)traits::destructor(t); }
    };

    pointer data_;
};

namespace detail
{

template <typename T, dnnl_status_t (*destroy)(T)> struct destroyed_by {
    static dnnl_status_t destructor(T object) { return destroy(object); }
};

/* The bytes of a call with a size query (see dnnl_cache.h): fill(&size, bytes).
 * Empty if there are none. */
template <typename Fill>
std::vector<uint8_t> bytes_of(Fill fill, const char *message)
{
    size_t size = 0;
    error::wrap_c_api(fill(&size, nullptr), message);
    std::vector<uint8_t> bytes(size);
    if (size == 0) return bytes;
    error::wrap_c_api(fill(&size, bytes.data()), message);
    bytes.resize(size);
    return bytes;
}

/* What a C call writes to its first argument; with two or more outputs also to
 * its last. Throws if the call fails. */
template <typename Out, typename... Parameters, typename... Arguments>
Out made_by(const char *message, dnnl_status_t (*call)(Out *, Parameters...),
        const Arguments &...arguments)
{
    Out out = Out();
    error::wrap_c_api(call(&out, arguments...), message);
    return out;
}

template <typename In, typename Out, typename Argument>
Out got_from(const char *message, dnnl_status_t (*call)(In, Out *),
        const Argument &argument)
{
    Out out = Out();
    error::wrap_c_api(call(argument, &out), message);
    return out;
}

template <typename Out, typename... Parameters, typename... Arguments>
Out got_from(const char *message, dnnl_status_t (*call)(Parameters...),
        const Arguments &...arguments)
{
    Out out = Out();
    error::wrap_c_api(call(arguments..., &out), message);
    return out;
}

} // namespace detail

/* The operators of a set of flags. */
#define DNNL_CACHE_FLAG_OPERATORS(type)                               \
    inline type operator|(type a, type b)                             \
    {                                                                 \
        return static_cast<type>(                                     \
                static_cast<unsigned>(a) | static_cast<unsigned>(b)); \
    }                                                                 \
    inline type operator&(type a, type b)                             \
    {                                                                 \
        return static_cast<type>(                                     \
                static_cast<unsigned>(a) & static_cast<unsigned>(b)); \
    }                                                                 \
    inline type operator^(type a, type b)                             \
    {                                                                 \
        return static_cast<type>(                                     \
                static_cast<unsigned>(a) ^ static_cast<unsigned>(b)); \
    }                                                                 \
    inline type operator~(type a)                                     \
    {                                                                 \
        return static_cast<type>(~static_cast<unsigned>(a));          \
    }                                                                 \
    inline type &operator|=(type &a, type b)                          \
    {                                                                 \
        return a = a | b;                                             \
    }                                                                 \
    inline type &operator&=(type &a, type b)                          \
    {                                                                 \
        return a = a & b;                                             \
    }                                                                 \
    inline type &operator^=(type &a, type b)                          \
    {                                                                 \
        return a = a ^ b;                                             \
    }

} // namespace dnnlc_0_1
} // namespace dnnl

#endif /* DNNL_CACHE_BASE_HPP */
