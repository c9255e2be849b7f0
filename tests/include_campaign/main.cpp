// SPDX-License-Identifier: Apache-2.0
// usage: include_campaign [OPTION ...]   (README.md)
//
//   --count N       preprocess N times (20000)
//   --seed N        the first scene's number (1); scene n is the same for ever
//   --processes N   (1)
//   --folder DIR    for the scenes' files; a RAM disk is best (/dev/shm)
//   --out DIR       keeps each miss, made small, as a scene there, and how far
//                   each process came; called again, goes on from there
//   --plant NAME    a fault to be found: blind, links, raw-lines, environment
//   --one N         shows scene number N and what is said of it
//   --record FILE   writes what the compiler makes of a scene into its file
//   --sample N DIR  keeps N scenes whose changes the compiler sees
//
// Exits with 1 if there was a miss; with --plant, if there was none.
#include "generate.hpp"
#include "judge.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sys/wait.h>
#include <unistd.h>

using namespace campaign;

namespace
{

struct settings {
    std::size_t count = 20000;
    std::uint64_t seed = 1;
    unsigned processes = 1;
    std::string folder = "/dev/shm";
    std::string out;
    plant fault = plant::none;
    std::uint64_t one = 0;
    std::string record;
    std::size_t sample = 0;
    std::string sample_folder;
    std::size_t most_misses = 50; // made small; more are only counted
};

struct totals {
    std::size_t scenes = 0;
    std::size_t runs = 0;
    std::size_t refused = 0;
    std::size_t uncacheable = 0;
    std::size_t cacheable = 0;
    std::size_t opened = 0;
    std::size_t places = 0;
    std::size_t misses = 0;
    std::uint64_t next = 0; // scene
};

const char format[] =
        "scenes %zu runs %zu refused %zu uncacheable %zu "
        "cacheable %zu opened %zu places %zu misses %zu next %llu";

void write_totals(std::FILE *to, const totals &t)
{
    (void)std::fprintf(to, format, t.scenes, t.runs, t.refused, t.uncacheable,
            t.cacheable, t.opened, t.places, t.misses,
            static_cast<unsigned long long>(t.next));
    (void)std::fputc('\n', to);
}

bool read_totals(const std::string &path, totals &t)
{
    std::FILE *file = std::fopen(path.c_str(), "r");
    if (file == nullptr) return false;
    unsigned long long next = 0;
    const bool done = std::fscanf(file, format, &t.scenes, &t.runs, &t.refused,
                              &t.uncacheable, &t.cacheable, &t.opened,
                              &t.places, &t.misses, &next)
                      == 9;
    (void)std::fclose(file);
    t.next = next;
    return done;
}

std::string whole_file(const std::string &path)
{
    std::ifstream in(path, std::ios::binary);
    if (!in) throw std::runtime_error("cannot read " + path);
    return {std::istreambuf_iterator<char>(in), {}};
}

// A folder of its own below the one for scenes; gone with the object.
class scratch
{
  public:
    explicit scratch(const std::string &folder)
        : base_(folder + "/dnnl_cache_includes." + std::to_string(getpid()))
    {
        std::filesystem::create_directories(base_ + "/scene");
    }
    ~scratch()
    {
        std::error_code error;
        std::filesystem::remove_all(base_, error);
    }
    scratch(const scratch &) = delete;
    scratch &operator=(const scratch &) = delete;
    std::string root() const { return base_ + "/scene"; }

  private:
    std::string base_;
};

class worker
{
  public:
    worker(const settings &set, unsigned index)
        : set_(set), index_(index), scratch_(set.folder),
          judge_(scratch_.root(), set.fault)
    {
        t_.next = set.seed + index;
        if (!set_.out.empty()) (void)read_totals(progress(), t_);
    }

    totals run(std::size_t count)
    {
        while (t_.runs < count) {
            step();
            if (t_.scenes % 2000 == 0) report();
            if (set_.fault != plant::none && t_.misses > 0) break;
        }
        report();
        return t_;
    }

    const std::map<std::string, std::size_t> &reasons() const { return why_; }

  private:
    std::string progress() const
    {
        return set_.out + "/progress." + std::to_string(index_);
    }

    void report()
    {
        if (set_.out.empty()) return;
        std::FILE *file = std::fopen(progress().c_str(), "w");
        if (file == nullptr) return;
        write_totals(file, t_);
        (void)std::fclose(file);
    }

    void step()
    {
        random_numbers r(t_.next * 0x2545f4914f6cdd1dU);
        scene s = generate_scene(r);
        s.origin = "scene " + std::to_string(t_.next);
        const verdict v = judge_.try_scene(s, r, 3);
        t_.scenes++;
        t_.runs += v.runs;
        t_.opened += v.opened;
        t_.places += v.places;
        t_.refused += v.is == ruling::refused;
        t_.uncacheable += v.is == ruling::uncacheable;
        t_.cacheable += v.is == ruling::fine || v.is == ruling::miss;
        if (v.is == ruling::refused || v.is == ruling::uncacheable)
            why_[(v.is == ruling::refused ? "refused: " : "uncacheable: ")
                    + v.why.substr(0, 50)]++;
        if (v.is == ruling::miss) miss(s, v);
        t_.next += set_.processes;
    }

    void miss(const scene &s, const verdict &v)
    {
        if (t_.misses++ >= set_.most_misses) return;
        std::printf("miss: scene %llu: %s\n",
                static_cast<unsigned long long>(t_.next), v.why.c_str());
        if (set_.out.empty() || set_.fault != plant::none) return;
        scene small = reduce(judge_, s, v.with);
        small.changes = {v.with};
        small.origin += ", made small: " + v.why;
        try {
            judge_.record(small);
        } catch (const std::exception &) {
            small.origin += " (cannot be recorded)";
        }
        put_file(set_.out + "/miss." + std::to_string(t_.next) + ".scene",
                to_text(small));
    }

    const settings &set_;
    unsigned index_;
    scratch scratch_;
    judge judge_;
    totals t_;
    std::map<std::string, std::size_t> why_;
};

// One process's part; its totals go through a file, as its parent's do not.
int run_worker(const settings &set, unsigned index)
{
    worker w(set, index);
    const totals t = w.run(set.count / set.processes);
    if (std::getenv("DNNL_CACHE_CAMPAIGN_REASONS") != nullptr)
        for (const auto &pair : w.reasons())
            std::printf("%7zu %s\n", pair.second, pair.first.c_str());
    std::printf("process %u: ", index);
    write_totals(stdout, t);
    (void)std::fflush(stdout);
    return t.misses > 0 ? 1 : 0;
}

int run_all(const settings &set)
{
    int missed = 0;
    const auto begin = std::chrono::steady_clock::now();
    if (!set.out.empty()) std::filesystem::create_directories(set.out);
    if (set.processes == 1) {
        missed = run_worker(set, 0);
    } else {
        for (unsigned i = 0; i < set.processes; i++) {
            (void)std::fflush(stdout);
            const pid_t child = fork();
            if (child < 0) return 2;
            if (child == 0) {
                int rc = run_worker(set, i);
                std::exit(rc);
            }
        }
        int status = 0;
        while (wait(&status) > 0)
            missed = std::max(
                    missed, WIFEXITED(status) ? WEXITSTATUS(status) : 2);
    }
    const std::chrono::duration<double> taken =
            std::chrono::steady_clock::now() - begin;
    std::printf("%.0f s\n", taken.count());
    if (missed > 1) return missed;
    return set.fault != plant::none ? 1 - missed : missed;
}

int show_one(const settings &set)
{
    const scratch folder(set.folder);
    judge j(folder.root(), set.fault);
    random_numbers r(set.one * 0x2545f4914f6cdd1dU);
    scene s = generate_scene(r);
    const verdict v = j.try_scene(s, r, 3);
    static const char *const names[] = {
            "refused", "uncacheable", "fine", "miss"};
    std::printf("%s%s: %s\n", to_text(s).c_str(), names[static_cast<int>(v.is)],
            v.why.c_str());
    return v.is == ruling::miss ? 1 : 0;
}

int record_one(const settings &set)
{
    scene s = parse_scene(whole_file(set.record));
    const std::string path = std::filesystem::absolute(set.record);
    const scratch folder(set.folder);
    judge j(folder.root(), set.fault);
    j.record(s);
    int rc = 0;
    for (const change &c : s.changes) {
        if (!j.matters(s, c)) {
            std::printf("the compiler sees no difference: %s\n",
                    to_text(c).c_str());
            rc = 1;
        }
        if (!j.shows_miss(s, c)) continue;
        std::printf("stale: %s\n", to_text(c).c_str());
        rc = 1;
    }
    put_file(path, to_text(s));
    return rc;
}

// Scenes that differ in what they have in them, small ones.
int sample(const settings &set)
{
    const scratch folder(set.folder);
    const std::string out = std::filesystem::absolute(set.sample_folder);
    std::filesystem::create_directories(out);
    judge j(folder.root(), set.fault);
    std::size_t kept = 0;
    for (std::uint64_t n = set.seed; kept < set.sample; n++) {
        random_numbers r(n * 0x2545f4914f6cdd1dU);
        scene s = generate_scene(r);
        s.origin = "campaign, scene " + std::to_string(n);
        verdict v = j.try_scene(s, r, 0);
        if (v.is != ruling::fine || v.opened < 3 || s.embedded
                || to_text(s).size() > 1500)
            continue;
        j.record(s);
        for (int i = 0; i < 12 && s.changes.size() < 4; i++) {
            const change c =
                    generate_change(r, s, {"x.h", "a/x.h", "cache/x.h"});
            if (j.matters(s, c)) s.changes.push_back(c);
        }
        if (s.changes.size() < 2) continue;
        put_file(out + "/scene_" + std::to_string(n) + ".scene", to_text(s));
        kept++;
    }
    return 0;
}

plant plant_of(const std::string &name)
{
    if (name == "blind") return plant::blind;
    if (name == "links") return plant::links;
    if (name == "raw-lines") return plant::raw_lines;
    if (name == "environment") return plant::environment;
    throw std::runtime_error("no such fault: " + name);
}

settings read_settings(int count, char **words)
{
    settings set;
    for (int i = 1; i < count; i++) {
        const std::string option = words[i];
        if (i + 1 == count) throw std::runtime_error("incomplete: " + option);
        const std::string value = words[++i];
        if (option == "--count")
            set.count = std::stoull(value);
        else if (option == "--seed")
            set.seed = std::stoull(value);
        else if (option == "--processes")
            set.processes =
                    static_cast<unsigned>(std::max(1, std::stoi(value)));
        else if (option == "--folder")
            set.folder = value;
        else if (option == "--out")
            set.out = std::filesystem::absolute(value);
        else if (option == "--plant")
            set.fault = plant_of(value);
        else if (option == "--one")
            set.one = std::stoull(value);
        else if (option == "--record")
            set.record = value;
        else if (option == "--most-misses")
            set.most_misses = std::stoull(value);
        else if (option == "--sample" && i + 1 < count) {
            set.sample = std::stoull(value);
            set.sample_folder = words[++i];
        } else
            throw std::runtime_error("no option " + option);
    }
    return set;
}

} // namespace

int main(int count, char **words)
{
    try {
        const settings set = read_settings(count, words);
        if (!set.record.empty()) return record_one(set);
        if (set.sample > 0) return sample(set);
        return set.one != 0 ? show_one(set) : run_all(set);
    } catch (const std::exception &error) {
        (void)std::fprintf(stderr, "include_campaign: %s\n", error.what());
        return 2;
    }
}
