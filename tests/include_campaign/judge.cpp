// SPDX-License-Identifier: Apache-2.0
#include "judge.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>

#include "generate.hpp"

namespace campaign
{

namespace
{

bool begins_with(const std::string &text, const std::string &begin)
{
    return text.compare(0, begin.size(), begin) == 0;
}

// The options as the driver's compiler sees them.
std::string all_options(const scene &s, const std::string &root)
{
    static const std::string extra = "POCL_EXTRA_BUILD_FLAGS=";
    std::string options = s.options;
    for (const std::string &variable : s.environment)
        if (s.is_pocl && begins_with(variable, extra))
            options += " " + variable.substr(extra.size());
    return with_root(options, root);
}

// Without its #pragma mark, what follows one can be a comment.
scene without_marks(scene s)
{
    static const std::string mark = "#pragma mark";
    for (std::size_t at = s.source.find(mark); at != std::string::npos;
            at = s.source.find(mark))
        s.source.replace(at, mark.size(), mark.size(), ' ');
    return s;
}

std::string all_words(const scene &s)
{
    std::string out = s.source + "\n" + s.options;
    for (const entry &e : s.entries)
        out += "\n" + e.text;
    for (const std::string &variable : s.environment)
        out += "\n" + variable;
    return out;
}

scene without_environment(scene s)
{
    s.environment = {"POCL_CACHE_DIR=@ROOT/none"};
    return s;
}

} // namespace

judge::judge(std::string root, plant fault)
    : root_(std::move(root)), fault_(fault)
{
    if (chdir(root_.c_str()) != 0)
        throw std::runtime_error("no folder " + root_);
}

judge::opinion judge::ask(const scene &s)
{
    if (s.embedded) return ask_embedded(s);
    opinion o;
    const scene seen = fault_ == plant::raw_lines     ? without_marks(s)
                       : fault_ == plant::environment ? without_environment(s)
                                                      : s;
    begin_watching(root_, fault_);
    const answer a = ask_layer(seen, root_);
    o.seen = end_watching();
    o.cacheable = a.cacheable;
    o.reason = a.reason;
    o.digest = a.digest;
    o.compiled = {s.is_pocl, all_options(s, root_), with_root(s.source, root_),
            root_ + "/cache/tempfile_A.cl", "", all_words(s)};
    return o;
}

judge::opinion judge::ask_embedded(const scene &s)
{
    opinion o;
    const embedded_program p =
            embed(fault_ == plant::raw_lines ? without_marks(s) : s, root_);
    // A folder whose name nobody knows.
    const std::string folder = root_ + ".headers";
    o.cacheable = p.cacheable;
    o.reason = p.reason;
    o.compiled = {s.is_pocl, all_options(s, root_),
            fault_ == plant::raw_lines ? with_root(s.source, root_) : p.source,
            root_ + "/cache/tempfile_A.cl", folder, all_words(s)};
    std::error_code error;
    std::filesystem::remove_all(folder, error);
    std::filesystem::create_directories(folder);
    for (const auto &header : p.headers) {
        const std::string path = folder + "/" + header.first;
        struct stat st;
        std::filesystem::create_directories(
                std::filesystem::path(path).parent_path());
        put_file(path, header.second);
        if (stat(path.c_str(), &st) == 0)
            o.seen.opened.insert({st.st_dev, st.st_ino});
    }
    return o;
}

outcome judge::run(const opinion &o, const scene &)
{
    return preprocess(o.compiled);
}

// Files that were read and not named. Whether their bytes matter is tried.
void judge::check_reads(const outcome &ran, const opinion &before,
        std::vector<change> &suspects, verdict &v) const
{
    for (const read_file &file : ran.reads) {
        const std::string path = plain_path(file.path, root_);
        if (before.seen.opened.count(file.identity) != 0) continue;
        if (!begins_with(path, root_ + "/")) {
            v.is = ruling::miss;
            v.why = "read " + path;
            continue;
        }
        const std::string inside = path.substr(root_.size() + 1);
        suspects.push_back({change_kind::edit, inside, ""});
        suspects.push_back({change_kind::front, inside, ""});
        v.is = ruling::miss;
        v.why = "read " + inside;
        v.with = suspects.back();
    }
}

// Places without a file, from the root; those that the resolver looked at as
// well, or those it did not.
std::vector<std::string> judge::absent_places(
        const outcome &ran, const opinion &before, bool new_ones) const
{
    std::vector<std::string> places;
    for (const std::string &name : ran.absent) {
        const std::string path = plain_path(name, root_);
        if (!begins_with(path, root_ + "/")) continue;
        // Of an embedded header: no file has such a name.
        if (path.find("/dnnl_cache_", root_.size()) != std::string::npos)
            continue;
        const bool known = before.seen.looked.count(path) != 0;
        if (known != new_ones) places.push_back(path.substr(root_.size() + 1));
    }
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    return places;
}

void judge::put(const scene &s)
{
    put_scene(s, root_);
    is_dirty_ = false;
}

// Makes the change. True if the compiler then makes something else of the
// program, and nothing of this project's sees it.
bool judge::is_stale(const scene &s, const opinion &before, const outcome &ran,
        const change &c, verdict &v)
{
    if (is_dirty_) put(s);
    is_dirty_ = true;
    if (!apply_change(c, root_)) return false;
    if (!s.embedded) {
        const opinion after = ask(s);
        if (!after.cacheable || after.digest != before.digest) return false;
    }
    v.runs++;
    return !(run(before, s) == ran);
}

verdict judge::try_scene(const scene &s, random_numbers &r, unsigned count)
{
    verdict v;
    std::vector<change> suspects;
    put(s);
    const opinion before = ask(s);
    const outcome ran = run(before, s);
    v.runs++;
    v.opened = ran.reads.size();
    v.places = ran.absent.size();
    if (ran.failed || !before.cacheable) {
        v.is = ran.failed ? ruling::refused : ruling::uncacheable;
        v.why = ran.failed ? ran.error : before.reason;
        return v;
    }
    check_reads(ran, before, suspects, v);
    for (const std::string &place : absent_places(ran, before, true))
        suspects.push_back({change_kind::create, place, ""});
    const std::vector<std::string> known = absent_places(ran, before, false);
    for (unsigned i = 0; i < count; i++) {
        const change c = generate_change(r, s, known);
        // PoCL makes this folder anew; its source is not of the scene.
        if (c.path != "cache") suspects.push_back(c);
    }
    for (const change &c : suspects) {
        if (!is_stale(s, before, ran, c, v)) continue;
        v.is = ruling::miss;
        v.with = c;
        if (v.why.empty()) v.why = "another program after: " + to_text(c);
        break;
    }
    return v;
}

bool judge::shows_miss(const scene &s, const change &c)
{
    verdict v;
    put(s);
    const opinion before = ask(s);
    if (!before.cacheable) return false;
    const outcome ran = run(before, s);
    return !ran.failed && is_stale(s, before, ran, c, v);
}

bool judge::matters(const scene &s, const change &c)
{
    put(s);
    const opinion before = ask(s);
    const outcome ran = run(before, s);
    is_dirty_ = true;
    if (ran.failed || !apply_change(c, root_)) return false;
    return !(run(before, s) == ran);
}

void judge::record(scene &s)
{
    put(s);
    const opinion o = ask(s);
    const outcome ran = run(o, s);
    if (ran.failed) throw std::runtime_error("does not compile: " + ran.error);
    s.cacheable = o.cacheable;
    s.reads.clear();
    for (const read_file &file : ran.reads) {
        const std::string path = plain_path(file.path, root_);
        if (begins_with(path, root_ + "/"))
            s.reads.push_back(path.substr(root_.size() + 1));
    }
}

} // namespace campaign
