// SPDX-License-Identifier: Apache-2.0
// A build may call into an application (its stores), which may throw.
#include "counted_gtest.h"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

extern "C" {
#include "src/common/cache.h"
}

namespace
{

void count_nothing(void *) {}

struct Job {
    cache *c;
    std::atomic<int> calls{0};
};

std::uint64_t waits(cache *c)
{
    cache_statistics s;
    cache_get_statistics(c, &s);
    return s.waits;
}

std::uint64_t entries(cache *c)
{
    cache_statistics s;
    cache_get_statistics(c, &s);
    return s.entries;
}

// Throws at first, once another thread waits; then builds.
dnnl_status_t build(void *arg, void **value, struct shared_text ** /* note */)
{
    auto *job = static_cast<Job *>(arg);
    if (job->calls++ == 0) {
        for (int i = 0; i < 60000 && waits(job->c) == 0; i++)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        throw std::runtime_error("from a store");
    }
    *value = job;
    return dnnl_success;
}

TEST(CacheExceptions, LeaveTheBuildToOneWhoWaited)
{
    cache_ops ops = {};
    ops.retain = count_nothing;
    ops.release = count_nothing;
    const cache_key key = {"key", 3, 1};
    Job job;
    ASSERT_EQ(dnnl_success, cache_create(&job.c, 2, &ops));

    bool thrown = false;
    std::thread builder([&] {
        void *value = nullptr;
        try {
            cache_get_or_build(job.c, &key, cache_way_shared, build, &job,
                    &value, nullptr, nullptr);
        } catch (const std::runtime_error &) {
            thrown = value == nullptr;
        }
    });
    while (job.calls == 0)
        std::this_thread::yield();
    void *value = nullptr;
    cache_outcome outcome = cache_outcome_hit;
    EXPECT_EQ(dnnl_success, cache_get_or_build(job.c, &key, cache_way_shared,
                                    build, &job, &value, &outcome, nullptr));
    builder.join();

    EXPECT_TRUE(thrown);
    EXPECT_EQ(&job, value);
    EXPECT_EQ(cache_outcome_built, outcome);
    EXPECT_EQ(2, job.calls);
    EXPECT_EQ(1u, entries(job.c));
    cache_destroy(job.c);
}

} // namespace
