// SPDX-License-Identifier: Apache-2.0
#include "scene.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace campaign
{

namespace
{

const char *const entry_names[] = {"file", "hard", "soft", "folder", "header"};
const char *const change_names[] = {"edit", "front", "create", "copy", "hard",
        "soft", "like", "folder", "remove"};

// Variables that drivers read and scenes may set.
const char *const variables[] = {"POCL_CACHE_DIR", "POCL_EXTRA_BUILD_FLAGS",
        "POCL_TEMPDIR", "TMPDIR", "CPATH", "C_INCLUDE_PATH"};

// ---- Text -------------------------------------------------------------------

// Control characters, what is not ASCII and % as %XX; in words blanks as well.
std::string escaped(const std::string &text, bool is_word)
{
    std::string out;
    for (const char c : text) {
        const unsigned char u = static_cast<unsigned char>(c);
        char code[4];
        if (u < ' ' || u > 0x7e || c == '%' || (is_word && c == ' ')) {
            (void)std::snprintf(code, sizeof code, "%%%02X", u);
            out += code;
        } else {
            out += c;
        }
    }
    return out;
}

std::string unescaped(const std::string &text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size(); i++) {
        if (text[i] == '%' && i + 2 < text.size()) {
            out += static_cast<char>(
                    std::stoi(text.substr(i + 1, 2), nullptr, 16));
            i += 2;
        } else {
            out += text[i];
        }
    }
    return out;
}

// "|line" is a line, "=line" one without its end.
void append_lines(std::string &out, const std::string &text)
{
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        const bool whole = end != std::string::npos;
        const std::string line =
                text.substr(at, whole ? end - at : std::string::npos);
        out += whole ? "|" : "=";
        out += escaped(line, false) + "\n";
        at = whole ? end + 1 : text.size();
    }
}

template <std::size_t n>
int index_of(const char *const (&names)[n], const std::string &name)
{
    for (std::size_t i = 0; i < n; i++)
        if (name == names[i]) return static_cast<int>(i);
    throw std::runtime_error("not known: " + name);
}

change parse_change(std::istringstream &words)
{
    std::string kind;
    std::string path;
    std::string other;
    words >> kind >> path >> other;
    return {static_cast<change_kind>(index_of(change_names, kind)),
            unescaped(path), unescaped(other)};
}

// The rest of a line behind its first word and one blank.
std::string rest_of(std::istringstream &words)
{
    std::string rest;
    words.get();
    std::getline(words, rest);
    return unescaped(rest);
}

entry parse_entry(const std::string &word, std::istringstream &words)
{
    entry e{static_cast<entry_kind>(index_of(entry_names, word)), "", ""};
    std::string target;
    words >> e.path >> target;
    e.path = unescaped(e.path);
    e.text = unescaped(target);
    return e;
}

// A line that is none of a text. Sets the text that lines go to from now on.
void parse_line(scene &s, const std::string &line, bool &in_source)
{
    std::istringstream words(line);
    std::string word;
    words >> word;
    in_source = word == "source";
    if (word == "origin")
        s.origin = rest_of(words);
    else if (word == "driver")
        s.is_pocl = rest_of(words) == "pocl";
    else if (word == "options")
        s.options = rest_of(words);
    else if (word == "environment")
        s.environment.push_back(rest_of(words));
    else if (word == "embedded")
        s.embedded = true;
    else if (word == "cacheable")
        s.cacheable = true;
    else if (word == "read")
        s.reads.push_back(rest_of(words));
    else if (word == "change")
        s.changes.push_back(parse_change(words));
    else if (!in_source)
        s.entries.push_back(parse_entry(word, words));
}

} // namespace

std::string to_text(const change &c)
{
    std::string out = change_names[static_cast<int>(c.kind)];
    out += " " + escaped(c.path, true);
    if (!c.other.empty()) out += " " + escaped(c.other, true);
    return out;
}

std::string to_text(const scene &s)
{
    std::string out = "origin " + escaped(s.origin, false) + "\n";
    out += s.is_pocl ? "driver pocl\n" : "driver rusticl\n";
    if (s.embedded) out += "embedded\n";
    out += "options " + escaped(s.options, false) + "\n";
    for (const std::string &variable : s.environment)
        out += "environment " + escaped(variable, false) + "\n";
    out += "source\n";
    append_lines(out, s.source);
    for (const entry &e : s.entries) {
        const bool is_text =
                e.kind == entry_kind::file || e.kind == entry_kind::header;
        out += entry_names[static_cast<int>(e.kind)];
        out += " " + escaped(e.path, true);
        if (!is_text && !e.text.empty()) out += " " + escaped(e.text, true);
        out += "\n";
        if (is_text) append_lines(out, e.text);
    }
    if (s.cacheable) out += "cacheable\n";
    for (const std::string &path : s.reads)
        out += "read " + escaped(path, false) + "\n";
    for (const change &c : s.changes)
        out += "change " + to_text(c) + "\n";
    return out;
}

scene parse_scene(const std::string &text)
{
    scene s;
    std::istringstream lines(text);
    std::string line;
    bool in_source = false;
    while (std::getline(lines, line)) {
        if (line.empty() || line[0] == '#') continue;
        if (line[0] != '|' && line[0] != '=') {
            parse_line(s, line, in_source);
            continue;
        }
        if (!in_source && s.entries.empty())
            throw std::runtime_error("a line of no text: " + line);
        std::string &to = in_source ? s.source : s.entries.back().text;
        to += unescaped(line.substr(1));
        if (line[0] == '|') to += '\n';
    }
    return s;
}

std::string with_root(const std::string &text, const std::string &root)
{
    static const std::string mark = "@ROOT";
    std::string out = text;
    for (std::size_t at = out.find(mark); at != std::string::npos;
            at = out.find(mark, at + root.size()))
        out.replace(at, mark.size(), root);
    return out;
}

// ---- Files ------------------------------------------------------------------

void put_file(const std::string &path, const std::string &text)
{
    std::FILE *file = std::fopen(path.c_str(), "wb");
    if (file == nullptr) throw std::runtime_error("cannot write " + path);
    const std::size_t written = std::fwrite(text.data(), 1, text.size(), file);
    if (std::fclose(file) != 0 || written != text.size())
        throw std::runtime_error("cannot write " + path);
}

namespace
{

void make_parents(const std::string &path)
{
    for (std::size_t slash = path.find('/', 1); slash != std::string::npos;
            slash = path.find('/', slash + 1))
        (void)mkdir(path.substr(0, slash).c_str(), 0777);
}

bool read_file(const std::string &path, std::string &text)
{
    std::error_code error;
    std::ifstream file(path, std::ios::binary);
    if (!fs::is_regular_file(path, error) || !file) return false;
    text.assign(std::istreambuf_iterator<char>(file), {});
    return true;
}

void empty_folder(const std::string &root)
{
    std::error_code error;
    for (const fs::directory_entry &e : fs::directory_iterator(root))
        fs::remove_all(e.path(), error);
}

void make_link(const entry &e, const std::string &root, const std::string &path)
{
    if (e.kind == entry_kind::hard)
        (void)!link((root + "/" + e.text).c_str(), path.c_str());
    else
        (void)!symlink(with_root(e.text, root).c_str(), path.c_str());
}

} // namespace

void put_scene(const scene &s, const std::string &root)
{
    empty_folder(root);
    for (const entry &e : s.entries) {
        const std::string path = root + "/" + e.path;
        struct stat st;
        if (e.kind == entry_kind::header) continue;
        make_parents(path);
        if (lstat(path.c_str(), &st) == 0) continue; // the first one counts
        if (e.kind == entry_kind::folder)
            (void)mkdir(path.c_str(), 0777);
        else if (e.kind == entry_kind::file)
            put_file(path, with_root(e.text, root));
        else
            make_link(e, root, path);
    }
}

bool apply_change(const change &c, const std::string &root)
{
    const std::string path = root + "/" + c.path;
    const std::string other = root + "/" + c.other;
    std::string text;
    std::error_code error;
    struct stat st;
    const bool is_file = read_file(path, text);
    const bool is_there = lstat(path.c_str(), &st) == 0;
    switch (c.kind) {
    case change_kind::edit:
        if (is_file) put_file(path, text + "\nint edited;\n");
        return is_file;
    case change_kind::front:
        if (is_file) put_file(path, "int edited;\n" + text);
        return is_file;
    case change_kind::copy:
        if (!is_file || unlink(path.c_str()) != 0) return false;
        put_file(path, text);
        return true;
    case change_kind::remove:
        return fs::remove_all(path, error) > 0;
    case change_kind::create:
        text = "int created;\n";
        break;
    case change_kind::like:
        if (!read_file(other, text)) return false;
        break;
    case change_kind::hard:
        if (!is_file && is_there) return false;
        if (!fs::is_regular_file(other, error)
                || fs::equivalent(path, other, error))
            return false;
        break;
    case change_kind::soft:
    case change_kind::folder:
        break;
    }
    if (c.kind == change_kind::create || c.kind == change_kind::like) {
        if (is_there) return false;
    } else if (is_there) {
        fs::remove_all(path, error);
    }
    make_parents(path);
    if (c.kind == change_kind::hard)
        return link(other.c_str(), path.c_str()) == 0;
    if (c.kind == change_kind::soft)
        return symlink(with_root(c.other, root).c_str(), path.c_str()) == 0;
    if (c.kind == change_kind::folder) return mkdir(path.c_str(), 0777) == 0;
    if (!fs::is_directory(fs::path(path).parent_path(), error)
            || fs::is_directory(path, error))
        return false;
    put_file(path, text);
    return true;
}

void leave_environment()
{
    for (const char *name : variables)
        (void)unsetenv(name);
}

void enter_environment(const scene &s, const std::string &root)
{
    leave_environment();
    if (s.is_pocl) (void)setenv(variables[0], (root + "/cache").c_str(), 1);
    for (const std::string &variable : s.environment) {
        const std::size_t equals = variable.find('=');
        (void)setenv(variable.substr(0, equals).c_str(),
                with_root(variable.substr(equals + 1), root).c_str(), 1);
    }
}

} // namespace campaign
