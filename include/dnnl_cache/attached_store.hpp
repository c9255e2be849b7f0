/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attached_store.hpp: where an application keeps blobs, in the namespace
 * dnnl::cache, which oneDNN does not have.
 */
#ifndef DNNL_CACHE_ATTACHED_STORE_HPP
#define DNNL_CACHE_ATTACHED_STORE_HPP

#include "engine.hpp"

namespace dnnl
{
inline namespace dnnlc_0_1
{
namespace cache
{

/*
 * Where an application keeps blobs. Derive from it, make a store of callbacks,
 * or take one on disk, dnnl::cache::disk_store of <dnnl_cache/store.hpp>:
 *
 *     dnnl::cache::disk_store s("/home/me/.cache/my_app");
 *     dnnl::cache::attached_store a(s);
 *
 * Every method may be called from several threads at once. One that throws
 * counts as a failure of the store, which is a miss.
 */
struct store {
    /* A store that keeps nothing, for classes that derive from it. */
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
        size_t size = 0;
        const uint8_t *found = nullptr;
        if (!has_callbacks_) return false;
        const dnnl_status_t status = callbacks_.get(
                callbacks_.user, id.size(), id.data(), &size, &found);
        if (status == dnnl_cache_miss) return false;
        error::wrap_c_api(status, "could not get a blob from a store");
        const loan held = {callbacks_, size, found};
        blob.assign(found, found + size);
        return true;
    }

    /* Keeps a copy of the blob, in place of one with the same ID. */
    virtual void put(const std::vector<uint8_t> &id,
            const std::vector<uint8_t> &blob,
            const dnnl_cache_store_metadata_t &metadata)
    {
        if (!has_callbacks_) return;
        error::wrap_c_api(callbacks_.put(callbacks_.user, id.size(), id.data(),
                                  blob.size(), blob.data(), &metadata),
                "could not put a blob into a store");
    }

    /* Removes the blob of an ID, if there is one. */
    virtual void remove(const std::vector<uint8_t> &id)
    {
        if (!has_callbacks_) return;
        error::wrap_c_api(
                callbacks_.remove(callbacks_.user, id.size(), id.data()),
                "could not remove a blob from a store");
    }

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

    /* Bytes of a callback, given back at the end. */
    struct loan {
        const dnnl_cache_store_t &callbacks;
        size_t size;
        const uint8_t *bytes;

        ~loan() { callbacks.release(callbacks.user, size, bytes); }
    };

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
    /* Attaches nothing. */
    attached_store() : engine_(), is_attached_(false) {}

    /* Attaches the store to the process. */
    explicit attached_store(store &astore) : engine_(), is_attached_(false)
    {
        const dnnl_cache_store_t callbacks = astore.get_callbacks();
        error::wrap_c_api(dnnl_cache_set_default_store(&callbacks),
                "could not attach a store to the process");
        is_attached_ = true;
    }

    /* Attaches the store to one engine. */
    attached_store(store &astore, const engine &aengine)
        : engine_(aengine), is_attached_(false)
    {
        const dnnl_cache_store_t callbacks = astore.get_callbacks();
        error::wrap_c_api(
                dnnl_cache_engine_set_store(engine_.get(), &callbacks),
                "could not attach a store to an engine");
        is_attached_ = true;
    }

    /* Takes the attachment of the other, which is attached to nothing then. */
    attached_store(attached_store &&other) noexcept
        : engine_(std::move(other.engine_)), is_attached_(other.is_attached_)
    {
        other.is_attached_ = false;
    }

    /* The same; detaches what was attached here. */
    attached_store &operator=(attached_store &&other) noexcept
    {
        if (this == &other) return *this;
        detach();
        engine_ = std::move(other.engine_);
        is_attached_ = other.is_attached_;
        other.is_attached_ = false;
        return *this;
    }

    /* Detaches. */
    ~attached_store() { detach(); }

    /* Detaches now; does nothing if nothing is attached. */
    void detach() noexcept
    {
        if (!is_attached_) return;
        is_attached_ = false;
        if (engine_)
            (void)dnnl_cache_engine_set_store(
                    static_cast<dnnl_engine_t>(engine_), nullptr);
        else
            (void)dnnl_cache_set_default_store(nullptr);
        engine_.reset(nullptr);
    }

    /* Is a store attached? */
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

#endif /* DNNL_CACHE_ATTACHED_STORE_HPP */
