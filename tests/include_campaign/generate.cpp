// SPDX-License-Identifier: Apache-2.0
#include "generate.hpp"

#include "compiler.hpp"
#include "generate_text.hpp"

#include <algorithm>

namespace campaign
{

namespace
{

const char *const folders[] = {"a", "b", "c", "a/s", "b/s", "inc", "cache"};
const char *const file_names[] = {"x.h", "y.h", "z.h", "s/x.h", "w", "x.cl",
        "1.h", "8.h", "c/y.h", "b/x.h", "x.hpp"};
const char *const odd_names[] = {"x y.h", "x'.h", "\xc3\xbc.h", "x%.h",
        "CHAR_BIT.h", "cl_khr_fp64.h", "INT_MAX.h", "unix.h", "x.h ", "-x.h",
        "NULL.h", "x\\y.h", "opencl-c-base.h", "opencl-c-base.h",
        "3.14159265358979323846264338327950288.h"};

bool is_text(const entry &e)
{
    return e.kind == entry_kind::file || e.kind == entry_kind::header;
}

class scene_generator
{
  public:
    explicit scene_generator(random_numbers &r) : r_(r) {}

    scene make()
    {
        const std::size_t wildness = r_.below(100);
        words_.wildness = wildness < 70 ? 0 : wildness < 92 ? 1 : 2;
        s_.is_pocl = r_.percent(60);
        s_.embedded = r_.percent(20);
        add_files();
        add_options();
        if (s_.is_pocl) add_environment();
        name_files();
        for (std::size_t i = 0; i < s_.entries.size(); i++)
            if (is_text(s_.entries[i])) write(s_.entries[i]);
        s_.source = generate_text(r_, words_, guard::none,
                1 + static_cast<unsigned>(r_.below(7)));
        if (r_.percent(10)) add_twins();
        add_links();
        return s_;
    }

  private:
    std::string file_path()
    {
        const std::string name =
                r_.percent(4) ? r_.of(odd_names) : r_.of(file_names);
        const std::size_t kind = r_.below(100);
        if (kind < 12) return name;
        if (kind < 16 && s_.is_pocl) return "cache/" + name;
        return r_.of(folders) + "/" + name;
    }

    void add_files()
    {
        const std::size_t count = 1 + r_.below(6);
        for (std::size_t i = 0; i < count; i++) {
            const std::string path = file_path();
            const bool header = s_.embedded && r_.percent(60);
            s_.entries.push_back(
                    {header ? entry_kind::header : entry_kind::file, path, ""});
            // A file that an embedded header must hide.
            if (header && r_.percent(50))
                s_.entries.push_back({entry_kind::file,
                        r_.percent(50) ? path : r_.of(folders) + "/" + path,
                        ""});
        }
        if (s_.is_pocl) s_.entries.push_back({entry_kind::folder, "cache", ""});
    }

    void add(const std::string &option)
    {
        if (!s_.options.empty()) s_.options += r_.percent(1) ? "\t" : " ";
        s_.options += option;
    }

    void add_folder_option()
    {
        static const char *const others[] = {"-isystem ", "-iquote ",
                "-idirafter ", "-isystem", "-iquote", "-idirafter"};
        std::string folder = r_.of(folders);
        if (r_.percent(4)) folder = "none";
        if (r_.percent(5)) folder = "./" + folder;
        if (r_.percent(5)) folder += "/";
        if (r_.percent(4)) folder = "@ROOT/" + folder;
        if (r_.percent(2)) folder = ".";
        const std::size_t kind = r_.below(100);
        if (kind < 70)
            add("-I" + folder);
        else if (kind < 85)
            add("-I " + folder);
        else if (kind < 87)
            add("-I \"" + folder + "\"");
        else if (kind < 88)
            add("-I\"" + folder + "\"");
        else
            add(r_.of(others) + folder);
        searched_.push_back(folder + "/");
    }

    void add_options()
    {
        static const char *const pocl_standards[] = {"-cl-std=CL1.1",
                "-cl-std=CL1.2", "-cl-std=CL2.0", "-cl-std=CL3.0"};
        static const char *const standards[] = {"-cl-std=CL1.0",
                "-cl-std=CL1.1", "-cl-std=CL1.2", "-cl-std=CL2.0",
                "-cl-std=CL3.0", "-cl-std=CLC++", "-cl-std=CLC++2021"};
        static const char *const plain[] = {"-w", "-cl-mad-enable", "-DSIZE=8",
                "-D SIZE=4", "-Dcl_khr_fp64", "-Werror",
                "-cl-fast-relaxed-math", "-DA", "-UB", "-DT2(x)=#x", "-DNAN"};
        if (r_.percent(70))
            add(s_.is_pocl ? r_.of(pocl_standards) : r_.of(standards));
        const std::size_t count = 1 + r_.below(4);
        for (std::size_t i = 0; i < count; i++)
            add_folder_option();
        while (r_.percent(30))
            add(r_.of(plain));
        if (r_.percent(3)) add_file_option();
        if (r_.percent(3)) add_odd_option();
        if (r_.percent(20)) add_macro_options();
    }

    // Options that name a file.
    void add_file_option()
    {
        static const char *const options[] = {"-include ", "-include ",
                "-imacros ", "-include", "--include ", "--include=", "@",
                "-include-pch ", "-ivfsoverlay ",
                "-fmodule-map-file=", "-fmodule-file=", "-remap-file ",
                "-chain-include ",
                "-foverride-record-layout=", "-fsanitize-ignorelist=",
                "-fprofile-instrument-use-path=", "-opt-record-file ",
                "-fopenmp-host-ir-file-path ", "-ast-merge ", "-load ",
                "-mlink-builtin-bitcode ", "-include\n"};
        if (!s_.entries.empty()) add(r_.of(options) + r_.of(s_.entries).path);
    }

    void add_odd_option()
    {
        static const char *const options[] = {"-fms-extensions", "-trigraphs",
                "-traditional-cpp", "-undef", "-nostdinc", "-x c++",
                "-iprefix b/", "-iwithprefix s", "-iwithprefixbefore s", "-F b",
                "-iframework b", "-isysroot b", "-internal-isystem b",
                "-internal-externc-isystem b", "-c-isystem b", "-cxx-isystem b",
                "-iwithsysroot /b", "-I-", "-CC", "-fgnu-keywords",
                "-fdollars-in-identifiers", "-fno-dollars-in-identifiers",
                "-fms-compatibility", "-fborland-extensions", "-fdeclspec",
                "-std=c99", "-std=CL2.0", "-std=gnu99", "-std=c++20",
                "-fblocks", "-finclude-default-header",
                "-fdeclare-opencl-builtins", "-ffreestanding", "-fshort-wchar",
                "-fchar8_t", "-working-directory b", "-working-directory=b",
                "-fdirectives-only", "-fminimize-whitespace",
                "-Dinclude=import", "-resource-dir b",
                "-triple=i386-unknown-unknown", "-Wno-everything",
                "-include-pch none", "-fobjc-arc", "-fno-operator-names",
                "-fasm-blocks", "-fraw-string-literals", "-D__has_include(x)=1",
                "-fpascal-strings", "-Xclang -Ib", "-Wp,-Ib",
                "-stdlib++-isystem b", "-iapinotes-modules b", "-fapinotes",
                "-fmodules -fimplicit-module-maps", "-fmodules-search-all",
                "-fmodule-name=b", "-fno-trigraphs", "-dwarf-ext-refs", "-D #",
                "-D \"T3(x)=#x\"", "-ftrigraphs", "-frewrite-includes", "-E",
                "-P", "-dM", "-header-include-file b/x.h",
                "-source-date-epoch 1", "-fdepfile-entry=b/x.h",
                "-isystem-prefix b", "--system-header-prefix=b",
                "-index-header-map -Ib"};
        add(r_.of(options));
    }

    // Names of includes that are macros.
    void add_macro_options()
    {
        static const char *const text[] = {"-DINC=T(b/x.h)", "-DINC=<b/x.h>",
                "-DINC=\"b/x.h\"", "-DB=b", "-DINC=T(B/x.h)", "-DINC=b/x.h",
                "-DINC=T(cl_khr_fp64.h)", "-DINC=T(CHAR_BIT.h)",
                "-DINC=T(a/x.h)", "-DINC=T(a/y.h)", "-DINC=<x.h>",
                "-DINC=\\\"b/x.h\\\"", "-DINC='\"b/x.h\"'", "-D INC=T(x.h)"};
        static const char *const stringizers[] = {"-DT(x)=#x",
                "-DN(x)=#x -DT(x)=N(x)", "-DN(a)=#a -D T(a)=N(a)", "-DT(x)=<x>",
                "-DT(x,...)=#x", "-DT(x)=#x#x"};
        add(r_.of(text));
        if (r_.percent(30)) add("-DB=" + r_.of(folders));
        if (r_.percent(90)) add(r_.of(stringizers));
        words_.macros.emplace_back("INC");
        words_.stringizer = "T";
        words_.bare = {"b/x.h", "x.h", "a/x.h", "a/y.h"};
        for (const entry &e : s_.entries)
            if (is_text(e)) words_.bare.push_back(e.path);
        // What a driver's own headers make of a name.
        if (r_.percent(25))
            words_.bare.push_back(r_.of(driver_macros()) + ".h");
        if (r_.percent(40)) add_defined_names();
    }

    // Files by a macro's name and by its value; which is read depends on who
    // defines the macro.
    void add_defined_names()
    {
        static const char *const macros[][2] = {{"cl_khr_fp64", "1"},
                {"CHAR_BIT", "8"}, {"INT_MAX", "2147483647"}, {"unix", "1"},
                {"linux", "1"}, {"CL_VERSION_1_2", "120"}, {"SIZE", "8"},
                {"cl_khr_int64", "1"}, {"__OPENCL_VERSION__", "300"},
                {"CLK_LOCAL_MEM_FENCE", "0x01"}, {"inline", ""},
                {"__LINE__", "1"}, {"__INCLUDE_LEVEL__", "0"}, {"b", "c"},
                {"h", "cl"}, {"x", "y"}, {"CHAR_MAX", "127"}};
        const auto &pair = macros[r_.below(std::size(macros))];
        const std::string folder = r_.of(folders) + "/";
        s_.entries.push_back({entry_kind::file, folder + pair[0] + ".h", ""});
        s_.entries.push_back({entry_kind::file, folder + pair[1] + ".h", ""});
        if (r_.percent(20)) add(std::string("-D") + pair[0] + "=" + pair[1]);
        add("-I" + folder);
        words_.bare = {std::string(pair[0]) + ".h", folder + pair[0] + ".h"};
        words_.names.push_back(std::string(pair[0]) + ".h");
        add("-DINC2=T(" + words_.bare[0] + ")");
        words_.macros.emplace_back("INC2");
        words_.macros.emplace_back("INC2");
    }

    void add_environment()
    {
        if (!r_.percent(10)) return;
        static const char *const flags[] = {
                "-Ib", "-I b", "-I@ROOT/b", "-DINC=<b/x.h>", "-w", "-DSIZE=3"};
        s_.environment.push_back("POCL_EXTRA_BUILD_FLAGS=" + r_.of(flags));
        searched_.emplace_back("b/");
        if (r_.percent(30)) {
            s_.entries.push_back({entry_kind::file, "b/w", ""});
            words_.names.emplace_back("w");
        }
    }

    void add_name(const std::string &name)
    {
        words_.names.push_back(name);
        if (r_.percent(8) && name[0] != '/') {
            const std::size_t slash = name.rfind('/');
            words_.names.push_back("./" + name);
            if (slash != std::string::npos)
                words_.names.push_back(name.substr(0, slash) + "/../"
                                       + name.substr(0, slash) + "/"
                                       + name.substr(slash + 1));
        }
    }

    // By which names the files are found.
    void name_files()
    {
        for (const entry &e : s_.entries) {
            if (!is_text(e)) continue;
            if (e.kind == entry_kind::header) {
                const std::size_t slash = e.path.rfind('/');
                add_name(e.path);
                add_name(e.path);
                // Beside another one.
                if (slash != std::string::npos && r_.percent(30))
                    add_name(e.path.substr(slash + 1));
                continue;
            }
            // PoCL's compiler, and that of quoted names, looks here.
            if (r_.percent(25)) add_name(e.path);
            if (r_.percent(3)) add_name("@ROOT/" + e.path);
            for (const std::string &folder : searched_)
                if (e.path.compare(0, folder.size(), folder) == 0)
                    add_name(e.path.substr(folder.size()));
        }
        if (r_.percent(5)) words_.names.push_back(r_.of(file_names));
        if (r_.percent(1)) words_.names.emplace_back("../scene/b/x.h");
        if (r_.percent(1)) words_.names.emplace_back("b");
        if (r_.percent(2)) words_.names.emplace_back("metal_stdlib");
        if (r_.percent(2)) words_.names.emplace_back("stddef.h");
        if (r_.percent(1)) words_.names.emplace_back("limits.h");
    }

    void write(entry &e)
    {
        const std::size_t kind = r_.below(100);
        const guard g = kind < 40   ? guard::once
                        : kind < 75 ? guard::macro
                                    : guard::none;
        vocabulary words = words_;
        // Without a guard a header that includes itself does not end.
        if (g == guard::none && r_.percent(90)) {
            words.names.clear();
            words.macros.clear();
            words.stringizer.clear();
        }
        e.text = "int in_" + std::to_string(r_.below(1000)) + ";\n"
                 + generate_text(
                         r_, words, g, static_cast<unsigned>(r_.below(3)));
        if (words.names.empty() && e.text.find("include") != std::string::npos)
            e.text = "int in_" + std::to_string(r_.below(1000)) + ";\n";
        // Equal texts under two names.
        if (r_.percent(10))
            for (const entry &other : s_.entries)
                if (is_text(other) && !other.text.empty()) e.text = other.text;
    }

    // A file that is read once, and another with the same bytes: the compiler
    // may take them for one file.
    void add_twins()
    {
        static const char *const onces[] = {
                "#pragma once\n", "#pragma once\n", "_Pragma(\"once\")\n", ""};
        const std::string names[] = {r_.of(folders) + "/twin.h",
                r_.of(folders) + "/" + r_.of(file_names)};
        if (names[1].find("twin") != std::string::npos) return;
        const std::string text = r_.of(onces) + "int twin;\n";
        const std::size_t kind = r_.below(3);
        s_.entries.insert(
                s_.entries.begin(), {entry_kind::file, names[0], text});
        s_.entries.insert(s_.entries.begin() + 1,
                {kind == 0          ? entry_kind::hard
                        : kind == 1 ? entry_kind::soft
                                    : entry_kind::file,
                        names[1],
                        kind == 0   ? names[0]
                        : kind == 1 ? "@ROOT/" + names[0]
                                    : text});
        for (const std::string &name : names)
            s_.source += (r_.percent(20) ? "\n#import \"" : "\n#include \"")
                         + name + "\"\n";
    }

    void add_links()
    {
        const std::size_t count = s_.entries.size();
        while (r_.percent(22)) {
            const entry &of = s_.entries[r_.below(count)];
            if (of.kind != entry_kind::file) continue;
            const std::string path =
                    r_.percent(60) ? of.path.substr(0, of.path.rfind('/') + 1)
                                             + r_.of(file_names)
                                   : file_path();
            const entry_kind kind =
                    r_.percent(60) ? entry_kind::hard : entry_kind::soft;
            s_.entries.push_back({kind, path,
                    kind == entry_kind::hard ? of.path : "@ROOT/" + of.path});
        }
        if (r_.percent(4))
            s_.entries.push_back({entry_kind::soft, r_.of(folders),
                    "@ROOT/" + r_.of(folders)});
        if (r_.percent(2)) {
            const std::string path = file_path();
            s_.entries.push_back({entry_kind::soft, path, "none"});
        }
        if (r_.percent(2))
            s_.entries.push_back({entry_kind::folder, file_path(), ""});
    }

    random_numbers &r_;
    scene s_;
    vocabulary words_{};
    std::vector<std::string> searched_;
};

bool is_file(const entry &e)
{
    return e.kind == entry_kind::file || e.kind == entry_kind::hard
           || e.kind == entry_kind::soft;
}

} // namespace

scene generate_scene(random_numbers &r)
{
    return scene_generator(r).make();
}

change generate_change(random_numbers &r, const scene &s,
        const std::vector<std::string> &absent)
{
    static const change_kind kinds[] = {change_kind::edit, change_kind::edit,
            change_kind::front, change_kind::copy, change_kind::copy,
            change_kind::hard, change_kind::hard, change_kind::remove,
            change_kind::soft, change_kind::folder};
    std::vector<std::string> files;
    for (const entry &e : s.entries)
        if (is_file(e)) files.push_back(e.path);
    if (files.empty()) files.emplace_back("x.h");
    const std::string other = r.of(files);
    // A folder that is another from now on.
    if (r.percent(3))
        return {change_kind::soft, r.of(folders), "@ROOT/" + r.of(folders)};
    // Twins become one, or two.
    if (files.size() > 1 && files[0].find("/twin.h") != std::string::npos
            && r.percent(50)) {
        if (r.percent(40)) return {change_kind::copy, files[1], ""};
        if (r.percent(30))
            return {change_kind::soft, files[1], "@ROOT/" + files[0]};
        return {change_kind::hard, files[1], files[0]};
    }
    if (r.percent(35)) {
        std::string place = r.of(folders) + ("/" + r.of(file_names));
        if (!absent.empty() && r.percent(80)) place = r.of(absent);
        if (r.percent(60)) return {change_kind::create, place, ""};
        if (r.percent(20)) return {change_kind::folder, place, ""};
        if (r.percent(20)) return {change_kind::soft, place, "@ROOT/" + other};
        return {change_kind::like, place, other};
    }
    const change_kind kind = kinds[r.below(std::size(kinds))];
    const std::string path = r.of(files);
    if (kind == change_kind::hard) return {kind, path, other};
    if (kind == change_kind::soft) return {kind, path, "@ROOT/" + other};
    return {kind, path, ""};
}

} // namespace campaign
