// SPDX-License-Identifier: Apache-2.0
// The preprocessor of the driver's compiler, in this process, set up as PoCL
// 3.1 and rusticl set it up; every file it reads and every place it looks at is
// recorded.
#ifndef DNNL_CACHE_TESTS_INCLUDE_CAMPAIGN_COMPILER_HPP
#define DNNL_CACHE_TESTS_INCLUDE_CAMPAIGN_COMPILER_HPP

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace campaign
{

using file_identity = std::pair<std::uint64_t, std::uint64_t>;

struct read_file {
    std::string path; // as the compiler named it
    file_identity identity;
};

struct outcome {
    bool failed = false;             // the driver would refuse the program
    std::string error;               // the first one
    std::uint64_t tokens = 0;        // a digest over them
    std::vector<read_file> reads;    // files opened, be it for a look
    std::vector<std::string> absent; // looked for, and not there

    bool operator==(const outcome &other) const
    {
        return failed == other.failed && (failed || tokens == other.tokens);
    }
};

// What is compiled. Paths are absolute, or from the working directory.
struct compilation {
    bool is_pocl;
    std::string options;
    std::string source;
    std::string source_path;   // for PoCL, where the source is written to
    std::string header_folder; // of embedded headers; empty: there are none
    std::string words; // all texts: of the driver's macros those named matter
};

outcome preprocess(const compilation &what);

// The names of macros that the driver's own headers define.
const std::vector<std::string> &driver_macros();

} // namespace campaign

#endif // DNNL_CACHE_TESTS_INCLUDE_CAMPAIGN_COMPILER_HPP
