/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program.hpp: the application's own programs and their kernels, in
 * the namespace dnnl::cache, which oneDNN does not have.
 *
 *     dnnl::cache::program_desc desc(eng, source, "-DN=16");
 *     dnnl::cache::kernel k(desc, "scale");
 *     clSetKernelArg(k.get_ocl_kernel(), ...)
 *
 * Programs and kernels are handles like the other objects: copies share the
 * object, the last one destroys it, and a call that fails throws dnnl::error.
 * Each method is the C call of that name, whose header says more.
 */
#ifndef DNNL_CACHE_PROGRAM_HPP
#define DNNL_CACHE_PROGRAM_HPP

#include "engine.hpp"

#include <chrono>
#include <functional>
#include <string>

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

template <>
struct handle_traits<dnnl_cache_build_queue_t>
    : detail::destroyed_by<dnnl_cache_build_queue_t,
              dnnl_cache_build_queue_destroy> {
};

template <>
struct handle_traits<dnnl_cache_build_job_t>
    : detail::destroyed_by<dnnl_cache_build_job_t,
              dnnl_cache_build_job_destroy> {
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

    /* A header that the source includes by this name. */
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

    /* Bytes that become part of the ID, for what the compiler depends on
     * and the description does not have. */
    program_desc &add_key(const std::vector<uint8_t> &key)
    {
        error::wrap_c_api(
                dnnl_cache_program_desc_add_key(get(), key.size(), key.data()),
                "could not add a key to a program descriptor");
        return *this;
    }

    /* All that the source includes is in the key: see
     * dnnl_cache_program_desc_set_includes_known(). */
    program_desc &set_includes_known()
    {
        error::wrap_c_api(dnnl_cache_program_desc_set_includes_known(get()),
                "could not declare the includes of a program known");
        return *this;
    }

    /* Should included files be read, and be part of the ID? */
    program_desc &set_include_following(bool on = true)
    {
        error::wrap_c_api(
                dnnl_cache_program_desc_set_include_following(get(), on),
                "could not set whether the includes of a program are followed");
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

    /* Is the object cacheable? Else *reason, if there is one, says why. */
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

    /* From memory, an attached store or the compiler. */
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

    /* A launch as clEnqueueNDRangeKernel() gets it, with a value for each
     * dimension. Empty: the driver chooses the local size; no offset. */
    void note_launch(const std::string &kernel_name,
            const std::vector<size_t> &global_size,
            const std::vector<size_t> &local_size = {},
            const std::vector<size_t> &global_offset = {}) const
    {
        const size_t n = global_size.size();
        if (n > 3 || (!local_size.empty() && local_size.size() != n)
                || (!global_offset.empty() && global_offset.size() != n))
            DNNL_THROW_ERROR(dnnl_invalid_arguments,
                    "the sizes of a launch have different dimensions");
        error::wrap_c_api(
                dnnl_cache_program_note_launch(get(), kernel_name.c_str(),
                        static_cast<cl_uint>(n),
                        global_offset.empty() ? nullptr : global_offset.data(),
                        global_size.data(),
                        local_size.empty() ? nullptr : local_size.data()),
                "could not note a launch");
    }

    /* When each kernel was launched once. */
    void capture() const
    {
        error::wrap_c_api(dnnl_cache_program_capture(get()),
                "could not capture a program");
    }

    /* Bytes of the application, which become part of the blob. */
    void set_user_data(const std::vector<uint8_t> &data) const
    {
        error::wrap_c_api(dnnl_cache_program_set_user_data(
                                  get(), data.size(), data.data()),
                "could not set the user data of a program");
    }

    /* What set_user_data() or the program's blob holds; empty if nothing. */
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

    /* What the compiler said; empty if nothing. */
    std::string get_build_log() const
    {
        const dnnl_cache_program_t p = get();
        return detail::text_of(
                [p](size_t *size, char *text) {
                    return dnnl_cache_program_get_build_log(p, size, text);
                },
                "could not get the build log of a program");
    }

    /* Is the object cacheable? Else *reason, if there is one, says why. */
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

    /* The same without creating the program first: one look-up in memory. */
    kernel(const program_desc &desc, const std::string &name)
        : handle(dnnl::detail::made_by("could not create a kernel",
                dnnl_cache_kernel_create, desc.get(), name.c_str()))
    {
    }

    /* A kernel of a program. */
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

/* ==== Background builds =================================================== */

/* Where a job is. */
enum class build_state {
    waiting = dnnl_cache_build_waiting,
    building = dnnl_cache_build_building,
    done = dnnl_cache_build_done,
    failed = dnnl_cache_build_failed,
    cancelled = dnnl_cache_build_cancelled
};

/* A program that a queue builds. Whether a copy is left or not, it is built. */
struct build_job : public handle<dnnl_cache_build_job_t> {
    using handle::handle;

    build_job() = default;

    /* The program, when it is built; a job that waits is built at once on this
     * thread. Throws what creating it would have thrown; dnnl_not_required if
     * the job was cancelled. */
    program get_program() const
    {
        dnnl_cache_program_t built = nullptr;
        error::wrap_c_api(dnnl_cache_build_job_wait(get(), UINT64_MAX, &built),
                "could not build a program in the background");
        return program(built);
    }

    /* False: it has not ended after that time. Does not throw because of what
     * came of it. */
    bool wait_for(std::chrono::nanoseconds timeout) const
    {
        const std::chrono::nanoseconds::rep ns = timeout.count();
        (void)dnnl_cache_build_job_wait(
                get(), ns > 0 ? static_cast<uint64_t>(ns) : 0, nullptr);
        return get_state() >= build_state::done;
    }

    /* Where the job is. */
    build_state get_state() const
    {
        return static_cast<build_state>(
                dnnl::detail::got_from("could not get the state of a job",
                        dnnl_cache_build_job_get_state, get()));
    }

    /* False: it does not wait any more. */
    bool set_priority(int priority) const
    {
        return changed(dnnl_cache_build_job_set_priority(get(), priority),
                "could not set the priority of a job");
    }

    /* False: it has ended already. */
    bool cancel() const
    {
        return changed(
                dnnl_cache_build_job_cancel(get()), "could not cancel a job");
    }

  private:
    static bool changed(dnnl_status_t status, const char *message)
    {
        if (status == dnnl_not_required) return false;
        error::wrap_c_api(status, message);
        return true;
    }
};

/* Threads that build programs. The last copy waits for the builds under way,
 * and cancels the others: it must not go in a callback of the queue. */
struct build_queue : public handle<dnnl_cache_build_queue_t> {
    /* What is called when a job has ended, on the thread that ends it: with
     * dnnl_success, why it failed, or dnnl_not_required if it was cancelled.
     * The job, and each copy of it, is valid during the call alone. It must not
     * throw. */
    using callback_t = std::function<void(const build_job &, dnnl_status_t)>;

    using handle::handle;

    build_queue() = default;

    /* workers 0: as many as there are processors. processes: may each worker
     * have a process that compiles? */
    explicit build_queue(int workers, dnnl_cache_build_processes_t processes =
                                              dnnl_cache_build_processes_never)
        : build_queue(options_of(workers, processes))
    {
    }

    /* options.user belongs to options.progress, and must live as long as the
     * queue. */
    explicit build_queue(const dnnl_cache_build_queue_options_t &options)
    {
        reset(dnnl::detail::made_by("could not create a build queue",
                dnnl_cache_build_queue_create, &options));
    }

    /* Queues a build; one with a higher priority begins first. callback may
     * be empty. */
    build_job submit(const program_desc &desc, int priority = 0,
            const callback_t &callback = nullptr) const
    {
        dnnl_cache_build_job_t job = nullptr;
        std::unique_ptr<callback_t> user(
                callback ? new callback_t(callback) : nullptr);
        error::wrap_c_api(
                dnnl_cache_build_queue_submit(get(), desc.get(), priority,
                        callback ? call : nullptr, user.get(), &job),
                "could not submit a program");
        (void)user.release(); /* call() destroys it */
        return build_job(job);
    }

    /* Until no job waits or is built; this thread builds, too. */
    void wait() const
    {
        error::wrap_c_api(dnnl_cache_build_queue_wait(get(), UINT64_MAX),
                "could not wait for a build queue");
    }

    /* How far the queue is. */
    dnnl_cache_build_progress_t get_progress() const
    {
        dnnl_cache_build_progress_t progress = DNNL_CACHE_BUILD_PROGRESS_INIT;
        error::wrap_c_api(dnnl_cache_build_queue_get_progress(get(), &progress),
                "could not get the progress of a build queue");
        return progress;
    }

  private:
    static dnnl_cache_build_queue_options_t options_of(
            int workers, dnnl_cache_build_processes_t processes)
    {
        dnnl_cache_build_queue_options_t options =
                DNNL_CACHE_BUILD_QUEUE_OPTIONS_INIT;
        options.workers = static_cast<uint32_t>(workers);
        options.processes = processes;
        return options;
    }

    static void call(dnnl_cache_build_job_t job, dnnl_status_t status,
            void *user) noexcept
    {
        const std::unique_ptr<callback_t> own(static_cast<callback_t *>(user));
        (*own)(build_job(job, true), status);
    }
};

/* ==== Capturing what waits ================================================ */

namespace detail
{

/* What dnnl_cache_engine_capture() calls: false ends the captures. */
struct capture_progress {
    using callback_t =
            std::function<bool(const dnnl_cache_capture_progress_t &)>;

    explicit capture_progress(const callback_t &acallback) : callback(acallback)
    {
    }

    const callback_t &callback;
#if DNNL_ENABLE_EXCEPTIONS
    std::exception_ptr thrown;
#endif

    static dnnl_status_t call(
            const dnnl_cache_capture_progress_t *progress, void *user)
    {
        capture_progress *self = static_cast<capture_progress *>(user);
#if DNNL_ENABLE_EXCEPTIONS
        try {
            return self->callback(*progress) ? dnnl_success : dnnl_not_required;
        } catch (...) {
            self->thrown = std::current_exception();
            return dnnl_runtime_error;
        }
#else
        return self->callback(*progress) ? dnnl_success : dnnl_not_required;
#endif
    }
};

} // namespace detail

/* Captures the programs of the engine that wait for it. progress is called
 * before the first and after each, and returns false to end; what it throws is
 * thrown here. False: some still wait, because of the time limit or of
 * progress. */
inline bool capture_all(const engine &aengine,
        const dnnl_cache_capture_options_t &options =
                DNNL_CACHE_CAPTURE_OPTIONS_INIT,
        const detail::capture_progress::callback_t &progress = nullptr)
{
    detail::capture_progress user(progress);
    const dnnl_status_t status =
            dnnl_cache_engine_capture(aengine.get(), &options,
                    progress ? detail::capture_progress::call : nullptr, &user);
#if DNNL_ENABLE_EXCEPTIONS
    if (user.thrown) std::rethrow_exception(user.thrown);
#endif
    if (status == dnnl_not_required) return false;
    error::wrap_c_api(status, "could not capture all programs");
    return true;
}

} // namespace cache
} // namespace dnnlc_0_1
} // namespace dnnl

#endif /* DNNL_CACHE_PROGRAM_HPP */
