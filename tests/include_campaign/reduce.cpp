// SPDX-License-Identifier: Apache-2.0
#include "judge.hpp"

#include <functional>
#include <sstream>

namespace campaign
{

namespace
{

using list = std::vector<std::string>;

list lines_of(const std::string &text)
{
    list lines;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = text.find('\n', at);
        end = end == std::string::npos ? text.size() : end + 1;
        lines.push_back(text.substr(at, end - at));
        at = end;
    }
    return lines;
}

list words_of(const std::string &text)
{
    list words;
    std::istringstream in(text);
    std::string word;
    while (in >> word)
        words.push_back(word);
    return words;
}

list characters_of(const std::string &text)
{
    list out;
    for (const char c : text)
        out.emplace_back(1, c);
    return out;
}

std::string joined(const list &parts, const std::string &between)
{
    std::string out;
    for (std::size_t i = 0; i < parts.size(); i++)
        out += (i > 0 ? between : "") + parts[i];
    return out;
}

// Takes away as many parts as it can, many at once first.
list fewest(list parts, const std::function<bool(const list &)> &still)
{
    for (std::size_t size = parts.size(); size > 0; size /= 2) {
        for (std::size_t at = 0; at < parts.size();) {
            list fewer = parts;
            const std::size_t end = std::min(at + size, fewer.size());
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(at),
                    fewer.begin() + static_cast<std::ptrdiff_t>(end));
            if (still(fewer))
                parts = fewer;
            else
                at += size;
        }
    }
    return parts;
}

} // namespace

scene reduce(judge &j, const scene &s, const change &c)
{
    scene best = s;
    // What shows without a change is left as it is.
    if (!j.shows_miss(s, c)) return best;
    const auto shrink = [&](std::string scene::*text, const list &parts,
                                const std::string &between) {
        best.*text = joined(fewest(parts,
                                    [&](const list &fewer) {
                                        scene next = best;
                                        next.*text = joined(fewer, between);
                                        return j.shows_miss(next, c);
                                    }),
                between);
    };
    for (std::size_t i = best.entries.size(); i-- > 0;) {
        scene next = best;
        next.entries.erase(
                next.entries.begin() + static_cast<std::ptrdiff_t>(i));
        if (j.shows_miss(next, c)) best = next;
    }
    shrink(&scene::source, lines_of(best.source), "");
    shrink(&scene::options, words_of(best.options), " ");
    for (std::size_t i = 0; i < best.entries.size(); i++) {
        if (best.entries[i].kind != entry_kind::file
                && best.entries[i].kind != entry_kind::header)
            continue;
        best.entries[i].text = joined(fewest(lines_of(best.entries[i].text),
                                              [&](const list &fewer) {
                                                  scene next = best;
                                                  next.entries[i].text =
                                                          joined(fewer, "");
                                                  return j.shows_miss(next, c);
                                              }),
                "");
    }
    for (std::size_t i = best.environment.size(); i-- > 0;) {
        scene next = best;
        next.environment.erase(
                next.environment.begin() + static_cast<std::ptrdiff_t>(i));
        if (j.shows_miss(next, c)) best = next;
    }
    shrink(&scene::source, characters_of(best.source), "");
    return best;
}

} // namespace campaign
