// SPDX-License-Identifier: Apache-2.0
// Which files the resolver opens and where it looks, recorded by standing in
// for the C library's calls (the linker's --wrap); and faults planted there.
#ifndef DNNL_CACHE_TESTS_INCLUDE_CAMPAIGN_WATCHED_FILES_HPP
#define DNNL_CACHE_TESTS_INCLUDE_CAMPAIGN_WATCHED_FILES_HPP

#include "compiler.hpp"

#include <set>
#include <string>

namespace campaign
{

// A fault that the campaign must find.
enum class plant {
    none,
    blind,      // files in the folder b seem not to be there
    links,      // every path seems to be a file of its own
    raw_lines,  // the words #pragma mark are not seen
    environment // nor are the variables that drivers read
};

struct watched {
    std::set<file_identity> opened;
    std::set<std::string> looked; // absolute paths, without "." and "//"
};

void begin_watching(const std::string &root, plant fault);
watched end_watching();

// path as in `looked`.
std::string plain_path(const std::string &path, const std::string &root);

} // namespace campaign

#endif // DNNL_CACHE_TESTS_INCLUDE_CAMPAIGN_WATCHED_FILES_HPP
