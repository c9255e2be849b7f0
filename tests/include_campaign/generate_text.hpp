// SPDX-License-Identifier: Apache-2.0
// Random texts of sources and headers.
#ifndef DNNL_CACHE_TESTS_INCLUDE_CAMPAIGN_GENERATE_TEXT_HPP
#define DNNL_CACHE_TESTS_INCLUDE_CAMPAIGN_GENERATE_TEXT_HPP

#include "random.hpp"

#include <string>
#include <vector>

namespace campaign
{

// What a text may name.
struct vocabulary {
    // Includes that are answered, as they stand between the quotes.
    std::vector<std::string> names;
    // Macros whose value is such a name, in quotes or brackets.
    std::vector<std::string> macros;
    // Names without quotes, for macros that make a string of what they get.
    std::vector<std::string> bare;
    std::string stringizer; // such a macro; empty: there is none
    unsigned wildness;      // 0: as programs are, 1, 2: as nobody writes
};

// How a text keeps from being read twice.
enum class guard { none, once, macro };

std::string generate_text(
        random_numbers &r, const vocabulary &words, guard g, unsigned pieces);

} // namespace campaign

#endif // DNNL_CACHE_TESTS_INCLUDE_CAMPAIGN_GENERATE_TEXT_HPP
