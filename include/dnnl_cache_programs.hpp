/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dnnl_cache_programs.hpp: the application's own programs, their kernels, and
 * stores, in the namespace dnnl::cache, which oneDNN does not have. Included by
 * dnnl_cache.hpp.
 *
 *     dnnl::cache::program_desc desc(eng, source, "-DN=16");
 *     dnnl::cache::kernel k(desc, "scale");
 *     clSetKernelArg(k.get_ocl_kernel(), ...)
 *
 * Programs and kernels are handles like the other objects: copies share the
 * object, the last one destroys it, and a call that fails throws dnnl::error.
 * Each method is the C call of that name in dnnl_cache.h, which says more.
 */
#ifndef DNNL_CACHE_PROGRAMS_HPP
#define DNNL_CACHE_PROGRAMS_HPP

#include "dnnl_cache.hpp"

namespace dnnl
{
inline namespace dnnlc_0_1
{

template <>
struct handle_traits<dnnl_cache_program_desc_t>
    : detail::destroyed_by<dnnl_cache_program_desc_t,
              dnnl_cache_program_desc_destroy> {
};

template <>
struct handle_traits<dnnl_cache_program_t>
    : detail::destroyed_by<dnnl_cache_program_t, dnnl_cache_program_destroy> {
};

template <>
struct handle_traits<dnnl_cache_kernel_t>
    : detail::destroyed_by<dnnl_cache_kernel_t, dnnl_cache_kernel_destroy> {
};

namespace cache
{

namespace detail
{

/* A text of a call with a size query, without its NUL. */
template <typename Fill> std::string text_of(Fill fill, const char *message)
{
    std::vector<uint8_t> bytes = dnnl::detail::bytes_of(
            [&fill](size_t *size, uint8_t *out) {
                return fill(size, reinterpret_cast<char *>(out));
            },
            message);
    while (!bytes.empty() && bytes.back() == 0)
        bytes.pop_back();
    return std::string(bytes.begin(), bytes.end());
}

/* Is the object cacheable? Else *reason, if there is one, says why. */
template <typename T, typename Ask>
bool is_cacheable(T object, Ask ask, std::string *reason, const char *message)
{
    int cacheable = 0;
    const char *why = "";
    error::wrap_c_api(ask(object, &cacheable, &why), message);
    if (reason != nullptr) *reason = why;
    return cacheable != 0;
}

} // namespace detail

/* What a program is made of. */
struct program_desc : public handle<dnnl_cache_program_desc_t> {
    using handle::handle;

    program_desc() = default;

    /* One source, or several. */
    program_desc(const engine &aengine, const std::string &source,
            const std::string &options = "")
        : program_desc(aengine, std::vector<std::string>{source}, options)
    {
    }
    program_desc(const engine &aengine, const std::vector<std::string> &sources,
            const std::string &options = "")
    {
        /* A length of 0 would mean that the text ends with NUL, as it does. */
        std::vector<const char *> texts;
        std::vector<size_t> lengths;
        for (const std::string &source : sources) {
            texts.push_back(source.c_str());
            lengths.push_back(source.size());
        }
        reset(dnnl::detail::made_by("could not create a program descriptor",
                dnnl_cache_program_desc_create, aengine.get(), texts.size(),
                texts.data(), lengths.data(), options.c_str()));
    }

    /* IL, such as SPIR-V. */
    static program_desc from_il(const engine &aengine,
            const std::vector<uint8_t> &il, const std::string &options = "")
    {
        return program_desc(dnnl::detail::made_by(
                "could not create a program descriptor of IL",
                dnnl_cache_program_desc_create_with_il, aengine.get(),
                il.size(), static_cast<const void *>(il.data()),
                options.c_str()));
    }

    program_desc &add_header(const std::string &name, const std::string &text)
    {
        error::wrap_c_api(dnnl_cache_program_desc_add_header(get(),
                                  name.c_str(), text.size(), text.c_str()),
                "could not add a header to a program descriptor");
        return *this;
    }

    /* value: of the size that the constant has. */
    template <typename T>
    program_desc &set_spec_constant(uint32_t id, const T &value)
    {
        error::wrap_c_api(dnnl_cache_program_desc_set_spec_constant(
                                  get(), id, sizeof value, &value),
                "could not set a specialization constant");
        return *this;
    }

    program_desc &add_key(const std::vector<uint8_t> &key)
    {
        error::wrap_c_api(
                dnnl_cache_program_desc_add_key(get(), key.size(), key.data()),
                "could not add a key to a program descriptor");
        return *this;
    }

    program_desc &set_includes_known()
    {
        error::wrap_c_api(dnnl_cache_program_desc_set_includes_known(get()),
                "could not declare the includes of a program known");
        return *this;
    }

    /* Empty if it is not cacheable. */
    std::vector<uint8_t> get_cache_blob_id() const
    {
        const dnnl_cache_program_desc_t desc = get();
        return dnnl::detail::bytes_of(
                [desc](size_t *size, uint8_t *bytes) {
                    return dnnl_cache_program_desc_get_cache_blob_id(
                            desc, size, bytes);
                },
                "could not get the cache blob ID of a program");
    }

    bool is_cacheable(std::string *reason = nullptr) const
    {
        return detail::is_cacheable(get(), dnnl_cache_program_desc_is_cacheable,
                reason, "could not ask whether a program is cacheable");
    }

    /* Of the last program that did not compile; empty if there was none. */
    std::string get_build_log() const
    {
        const dnnl_cache_program_desc_t desc = get();
        return detail::text_of(
                [desc](size_t *size, char *text) {
                    return dnnl_cache_program_desc_get_build_log(
                            desc, size, text);
                },
                "could not get the build log of a program descriptor");
    }
};

/* A program: from memory, from the attached store, or compiled. */
struct program : public handle<dnnl_cache_program_t> {
    using handle::handle;

    program() = default;

    explicit program(const program_desc &desc)
        : handle(dnnl::detail::made_by("could not create a program",
                dnnl_cache_program_create, desc.get()))
    {
    }

    /* From a blob; nothing is compiled. An empty blob throws
     * dnnl_invalid_arguments. */
    program(const program_desc &desc, const std::vector<uint8_t> &cache_blob)
        : handle(dnnl::detail::made_by(
                "could not create a program from a cache blob",
                dnnl_cache_program_create_from_cache_blob, desc.get(),
                cache_blob.size(), cache_blob.data()))
    {
    }

    /* Of one that the application built; retained. */
    static program adopt(const program_desc &desc, cl_program built)
    {
        return program(dnnl::detail::made_by("could not adopt a program",
                dnnl_cache_program_adopt, desc.get(), built));
    }

    /* When each kernel was launched once. */
    void capture() const
    {
        error::wrap_c_api(dnnl_cache_program_capture(get()),
                "could not capture a program");
    }

    void set_user_data(const std::vector<uint8_t> &data) const
    {
        error::wrap_c_api(dnnl_cache_program_set_user_data(
                                  get(), data.size(), data.data()),
                "could not set the user data of a program");
    }

    std::vector<uint8_t> get_user_data() const
    {
        const dnnl_cache_program_t p = get();
        return dnnl::detail::bytes_of(
                [p](size_t *size, uint8_t *bytes) {
                    return dnnl_cache_program_get_user_data(p, size, bytes);
                },
                "could not get the user data of a program");
    }

    /* Empty if it is not cacheable. */
    std::vector<uint8_t> get_cache_blob() const
    {
        const dnnl_cache_program_t p = get();
        return dnnl::detail::bytes_of(
                [p](size_t *size, uint8_t *bytes) {
                    return dnnl_cache_program_get_cache_blob(p, size, bytes);
                },
                "could not get the cache blob of a program");
    }

    /* Borrowed. */
    cl_program get_ocl_program() const
    {
        return dnnl::detail::got_from("could not get an OpenCL program",
                dnnl_cache_program_get_cl_program, get());
    }

    std::string get_build_log() const
    {
        const dnnl_cache_program_t p = get();
        return detail::text_of(
                [p](size_t *size, char *text) {
                    return dnnl_cache_program_get_build_log(p, size, text);
                },
                "could not get the build log of a program");
    }

    bool is_cacheable(std::string *reason = nullptr) const
    {
        return detail::is_cacheable(get(), dnnl_cache_program_is_cacheable,
                reason, "could not ask whether a program is cacheable");
    }

    /* The strings live as long as the program. */
    dnnl_cache_creation_info_t get_creation_info() const
    {
        dnnl_cache_creation_info_t info = DNNL_CACHE_CREATION_INFO_INIT;
        error::wrap_c_api(dnnl_cache_program_get_creation_info(get(), &info),
                "could not get the creation info of a program");
        return info;
    }
};

/* A kernel object that no other caller has meanwhile. The last copy gives it
 * back to memory. */
struct kernel : public handle<dnnl_cache_kernel_t> {
    using handle::handle;

    kernel() = default;

    kernel(const program_desc &desc, const std::string &name)
        : handle(dnnl::detail::made_by("could not create a kernel",
                dnnl_cache_kernel_create, desc.get(), name.c_str()))
    {
    }

    kernel(const program &aprogram, const std::string &name)
        : handle(dnnl::detail::made_by("could not create a kernel of a program",
                dnnl_cache_kernel_create_from_program, aprogram.get(),
                name.c_str()))
    {
    }

    /* Borrowed. */
    cl_kernel get_ocl_kernel() const
    {
        return dnnl::detail::got_from("could not get an OpenCL kernel",
                dnnl_cache_kernel_get_cl_kernel, get());
    }
};

/* ==== Stores ============================================================== */

/*
 * Where an application keeps blobs. Derive from it, or make a store of the
 * callbacks of one on disk:
 *
 *     dnnl::cache::store s(dnnl_cache_store_callbacks(handle));
 *     dnnl::cache::attached_store a(s);
 *
 * Every method may be called from several threads at once. One that throws
 * counts as a failure of the store, which is a miss.
 */
struct store {
    store() : callbacks_(), has_callbacks_(false) {}

    /* Hands each call to these callbacks, which are copied; whatever their
     * user points to must outlive the store. */
    explicit store(const dnnl_cache_store_t *callbacks)
        : callbacks_(), has_callbacks_(true)
    {
        if (callbacks == nullptr)
            DNNL_THROW_ERROR(dnnl_invalid_arguments, "no callbacks of a store");
        callbacks_ = *callbacks;
    }

    virtual ~store() = default;

    /* True with the blob, or false for a miss. */
    virtual bool get(const std::vector<uint8_t> &id, std::vector<uint8_t> &blob)
    {
        (void)id;
        (void)blob;
        return false;
    }

    virtual void put(const std::vector<uint8_t> &id,
            const std::vector<uint8_t> &blob,
            const dnnl_cache_store_metadata_t &metadata)
    {
        (void)id;
        (void)blob;
        (void)metadata;
    }

    virtual void remove(const std::vector<uint8_t> &id) { (void)id; }

    /* As the C calls take it. It refers to this store, which must outlive its
     * use. */
    dnnl_cache_store_t get_callbacks()
    {
        if (has_callbacks_) return callbacks_;
        dnnl_cache_store_t c = DNNL_CACHE_STORE_INIT;
        c.user = this;
        c.get = call_get;
        c.release = call_release;
        c.put = call_put;
        c.remove = call_remove;
        return c;
    }

  private:
    store(const store &) = delete;
    store &operator=(const store &) = delete;

    /* What a method does, as a status: no exception goes through C. */
    template <typename Body> static dnnl_status_t guard(Body body)
    {
#if DNNL_ENABLE_EXCEPTIONS
        try {
            return body();
        } catch (const std::bad_alloc &) {
            return dnnl_out_of_memory;
        } catch (...) {
            return dnnl_runtime_error;
        }
#else
        return body();
#endif
    }

    static dnnl_status_t call_get(void *user, size_t id_size, const uint8_t *id,
            size_t *size, const uint8_t **blob)
    {
        store *self = static_cast<store *>(user);
        return guard([=]() -> dnnl_status_t {
            std::vector<uint8_t> found;
            if (!self->get(std::vector<uint8_t>(id, id + id_size), found))
                return dnnl_cache_miss;
            uint8_t *copy = new uint8_t[found.size() + 1];
            std::copy(found.begin(), found.end(), copy);
            *size = found.size();
            *blob = copy;
            return dnnl_success;
        });
    }

    /* Also when the store is gone: the bytes are nobody else's. */
    static void call_release(void *user, size_t size, const uint8_t *blob)
    {
        (void)user;
        (void)size;
        delete[] blob;
    }

    static dnnl_status_t call_put(void *user, size_t id_size, const uint8_t *id,
            size_t size, const uint8_t *blob,
            const dnnl_cache_store_metadata_t *metadata)
    {
        store *self = static_cast<store *>(user);
        return guard([=]() -> dnnl_status_t {
            dnnl_cache_store_metadata_t known = DNNL_CACHE_STORE_METADATA_INIT;
            if (metadata != nullptr) known = *metadata;
            self->put(std::vector<uint8_t>(id, id + id_size),
                    std::vector<uint8_t>(blob, blob + size), known);
            return dnnl_success;
        });
    }

    static dnnl_status_t call_remove(
            void *user, size_t id_size, const uint8_t *id)
    {
        store *self = static_cast<store *>(user);
        return guard([=]() -> dnnl_status_t {
            self->remove(std::vector<uint8_t>(id, id + id_size));
            return dnnl_success;
        });
    }

    dnnl_cache_store_t callbacks_;
    bool has_callbacks_;
};

/*
 * Attaches a store to the process, or to one engine, and detaches it when it is
 * destroyed; it can be moved. The store must outlive it, and every call that
 * was in progress on another thread when it was detached.
 */
struct attached_store {
    attached_store() : engine_(), is_attached_(false) {}

    explicit attached_store(store &astore) : engine_(), is_attached_(false)
    {
        const dnnl_cache_store_t callbacks = astore.get_callbacks();
        error::wrap_c_api(dnnl_cache_set_store(&callbacks),
                "could not attach a store to the process");
        is_attached_ = true;
    }

    attached_store(store &astore, const engine &aengine)
        : engine_(aengine), is_attached_(false)
    {
        const dnnl_cache_store_t callbacks = astore.get_callbacks();
        error::wrap_c_api(
                dnnl_cache_engine_set_store(engine_.get(), &callbacks),
                "could not attach a store to an engine");
        is_attached_ = true;
    }

    attached_store(attached_store &&other) noexcept
        : engine_(std::move(other.engine_)), is_attached_(other.is_attached_)
    {
        other.is_attached_ = false;
    }

    attached_store &operator=(attached_store &&other) noexcept
    {
        if (this == &other) return *this;
        detach();
        engine_ = std::move(other.engine_);
        is_attached_ = other.is_attached_;
        other.is_attached_ = false;
        return *this;
    }

    ~attached_store() { detach(); }

    void detach() noexcept
    {
        if (!is_attached_) return;
        is_attached_ = false;
        if (engine_)
            (void)dnnl_cache_engine_set_store(
                    static_cast<dnnl_engine_t>(engine_), nullptr);
        else
            (void)dnnl_cache_set_store(nullptr);
        engine_.reset(nullptr);
    }

    explicit operator bool() const { return is_attached_; }

  private:
    attached_store(const attached_store &) = delete;
    attached_store &operator=(const attached_store &) = delete;

    engine engine_; /* empty: the process */
    bool is_attached_;
};

} // namespace cache
} // namespace dnnlc_0_1
} // namespace dnnl

#endif /* DNNL_CACHE_PROGRAMS_HPP */
