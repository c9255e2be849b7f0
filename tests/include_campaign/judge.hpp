// SPDX-License-Identifier: Apache-2.0
// Holds what this project says of a scene against what the compiler does.
#ifndef DNNL_CACHE_TESTS_INCLUDE_CAMPAIGN_JUDGE_HPP
#define DNNL_CACHE_TESTS_INCLUDE_CAMPAIGN_JUDGE_HPP

#include "compiler.hpp"
#include "random.hpp"
#include "resolver.hpp"
#include "watched_files.hpp"

namespace campaign
{

enum class ruling {
    refused,     // the compiler takes no such program
    uncacheable, // it does, and it would not be cached
    fine,
    miss // it would be cached, and a stale binary found
};

struct verdict {
    ruling is = ruling::fine;
    std::string why; // of a miss, what the compiler did; else what was refused
    change with;     // of a miss: what may change without another ID
    std::size_t runs = 0;   // of the preprocessor
    std::size_t opened = 0; // files it read besides the source
    std::size_t places = 0; // at which it found none
};

class judge
{
  public:
    // Works in the folder root, which must be there, and is the working
    // directory from now on. Everything in it is removed.
    judge(std::string root, plant fault);

    // Runs the scene, and again after `count` random changes besides those
    // that what it read suggests.
    verdict try_scene(const scene &s, random_numbers &r, unsigned count);

    // Whether this change alone shows a miss.
    bool shows_miss(const scene &s, const change &c);

    // Whether the compiler takes the scene, before and after the change, for
    // different programs.
    bool matters(const scene &s, const change &c);

    // Fills in what is recorded of a scene but for its changes.
    void record(scene &s);

  private:
    struct opinion {
        bool cacheable = false;
        std::string reason;
        std::array<std::uint8_t, 32> digest{};
        watched seen;
        compilation compiled; // what the driver gets
    };
    opinion ask(const scene &s);
    opinion ask_embedded(const scene &s);
    outcome run(const opinion &o, const scene &s);
    bool is_stale(const scene &s, const opinion &before, const outcome &ran,
            const change &c, verdict &v);
    void check_reads(const outcome &ran, const opinion &before,
            std::vector<change> &suspects, verdict &v) const;
    std::vector<std::string> absent_places(
            const outcome &ran, const opinion &before, bool new_ones) const;

    void put(const scene &s);

    std::string root_;
    bool is_dirty_ = true; // a change was made to the files
    plant fault_;
};

// The smallest scene found that shows the same miss.
scene reduce(judge &j, const scene &s, const change &c);

} // namespace campaign

#endif // DNNL_CACHE_TESTS_INCLUDE_CAMPAIGN_JUDGE_HPP
