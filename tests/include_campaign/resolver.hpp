// SPDX-License-Identifier: Apache-2.0
// What this project says of a scene: the layer's resolver of includes, and the
// library's embedded headers.
#ifndef DNNL_CACHE_TESTS_INCLUDE_CAMPAIGN_RESOLVER_HPP
#define DNNL_CACHE_TESTS_INCLUDE_CAMPAIGN_RESOLVER_HPP

#include "scene.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace campaign
{

struct answer {
    bool cacheable = false;
    std::string reason; // why not
    std::array<std::uint8_t, 32> digest{};
    std::size_t count = 0; // of files and absences in the digest
};

// The scene's files are in the working directory, which is root.
answer ask_layer(const scene &s, const std::string &root);

// A program with embedded headers as a driver gets it.
struct embedded_program {
    bool cacheable = false;
    std::string reason;
    std::string source;
    std::vector<std::pair<std::string, std::string>> headers; // name, text
};

embedded_program embed(const scene &s, const std::string &root);

} // namespace campaign

#endif // DNNL_CACHE_TESTS_INCLUDE_CAMPAIGN_RESOLVER_HPP
