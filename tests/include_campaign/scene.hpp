// SPDX-License-Identifier: Apache-2.0
// A scene: a program, the files around it, what the compiler made of it, and
// changes to the files that make it something else. Scenes are kept as text,
// one a file; README.md has the format.
#ifndef DNNL_CACHE_TESTS_INCLUDE_CAMPAIGN_SCENE_HPP
#define DNNL_CACHE_TESTS_INCLUDE_CAMPAIGN_SCENE_HPP

#include <string>
#include <vector>

namespace campaign
{

enum class entry_kind { file, hard, soft, folder, header };

// Something on disk, or (header) a text embedded in the program.
struct entry {
    entry_kind kind;
    std::string path; // from the scene's folder
    std::string text; // of a file or header; of a link what it leads to
};

enum class change_kind {
    edit,   // a line more at the file's end
    front,  // a line more at its begin
    create, // a new file
    copy,   // another file with the same bytes
    hard,   // a hard link to other
    soft,   // a symbolic link to other
    like,   // a new file with the bytes of other
    folder, // a folder
    remove
};

struct change {
    change_kind kind;
    std::string path;
    std::string other;
};

// Texts, options and environment may say @ROOT for the scene's folder.
struct scene {
    std::string origin;    // where it is from, for people
    bool is_pocl = true;   // else rusticl, whose sources are in no file
    bool embedded = false; // a program of the library's, with headers
    std::string options;
    std::vector<std::string> environment; // NAME=value
    std::vector<entry> entries;
    std::string source;
    // What was recorded. Files that the compiler read, changes after which it
    // makes something else of the program.
    bool cacheable = false;
    std::vector<std::string> reads;
    std::vector<change> changes;
};

std::string to_text(const scene &s);
std::string to_text(const change &c);
// Throws std::runtime_error with the line that is wrong.
scene parse_scene(const std::string &text);

// text with each @ROOT replaced.
std::string with_root(const std::string &text, const std::string &root);

// Empties the folder and puts the scene's files there.
void put_scene(const scene &s, const std::string &root);
void put_file(const std::string &path, const std::string &text);

// Makes one change to the files there; false: it makes no sense there.
bool apply_change(const change &c, const std::string &root);

// Sets the scene's environment, for drivers and for what reads it like them,
// and takes away what an earlier scene set. PoCL's cache, where it writes the
// source to, is the folder cache.
void enter_environment(const scene &s, const std::string &root);
void leave_environment();

} // namespace campaign

#endif // DNNL_CACHE_TESTS_INCLUDE_CAMPAIGN_SCENE_HPP
