// SPDX-License-Identifier: Apache-2.0
#include "resolver.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

extern "C" {
#include "src/includes/build_options.h"
#include "src/includes/header_set.h"
#include "src/includes/includes.h"
}

namespace campaign
{

answer ask_layer(const scene &s, const std::string &root)
{
    answer a;
    struct includes out = {};
    const std::string source = with_root(s.source, root);
    const std::string options = with_root(s.options, root);
    // Two strings are laid end to end; some sources come as such. A length of 0
    // would mean a string that ends with NUL.
    const std::size_t half = source.size() % 4 == 3 ? source.size() / 2 : 0;
    const std::size_t rest = source.size() - half;
    const char *const texts[] = {source.c_str(), source.c_str() + half};
    const std::size_t sizes[] = {half, rest};
    const std::size_t first = half > 0 ? 0 : 1;
    struct include_driver driver = {};
    enter_environment(s, root);
    (void)std::snprintf(driver.platform, sizeof driver.platform, "%s",
            s.is_pocl ? "Portable Computing Language" : "rusticl");
    driver.is_cpu = true;
    a.cacheable = includes_follow(&out, nullptr, &driver, 2 - first,
            texts + first, rest > 0 ? sizes + first : nullptr, options.c_str());
    if (a.cacheable) {
        std::copy(
                std::begin(out.digest), std::end(out.digest), a.digest.begin());
        a.count = out.count;
    } else {
        a.reason = out.reason;
    }
    return a;
}

namespace
{

std::string rewritten(const struct header_set &set, const char *folder,
        const char *includer, const std::string &text)
{
    struct buffer out = {};
    if (header_set_rewrite(
                &set, folder, includer, text.data(), text.size(), &out)
            != dnnl_success)
        throw std::runtime_error("header_set_rewrite");
    std::string copy(reinterpret_cast<const char *>(out.data), out.size);
    buffer_fini(&out);
    return copy;
}

} // namespace

embedded_program embed(const scene &s, const std::string &root)
{
    embedded_program program;
    struct header_set set = {};
    struct header_doubt doubt = {};
    char folder[HEADER_PREFIX_SIZE];
    const std::string source = with_root(s.source, root);
    for (const entry &e : s.entries)
        if (e.kind == entry_kind::header) {
            const std::string text = with_root(e.text, root);
            (void)header_set_add(
                    &set, e.path.c_str(), text.data(), text.size());
        }
    header_set_prefix(&set, folder);
    // As src/gpu/program/describe/program_desc.c: variables may add options.
    const std::string options = with_root(s.options, root);
    program.cacheable =
            !header_set_find_doubt(&set, source.data(), source.size(),
                    s.environment.empty() ? options.c_str() : nullptr, &doubt);
    program.reason = doubt.text;
    // The library asks for both in turn; see
    // src/gpu/program/describe/program_desc.c.
    bool reads_files =
            options_include_files(with_root(s.options, root).c_str());
    for (const std::string &variable : s.environment)
        if (options_include_files(
                    with_root(variable.substr(variable.find('=') + 1), root)
                            .c_str()))
            reads_files = true;
    if (program.cacheable && reads_files) {
        program.cacheable = false;
        program.reason = "options";
    }
    program.source = rewritten(set, folder, nullptr, source);
    for (std::size_t i = 0; i < set.count; i++) {
        const struct header &h = set.list[i];
        program.headers.emplace_back(std::string(folder) + "/" + h.name,
                rewritten(set, folder, h.name, std::string(h.text, h.size)));
    }
    header_set_fini(&set);
    return program;
}

} // namespace campaign
