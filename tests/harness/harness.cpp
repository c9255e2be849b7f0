// SPDX-License-Identifier: Apache-2.0
// Runs the C tests of test.h, and any C++ TEST() of the same binary, under
// GoogleTest.
#include "test.h"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace
{

struct CTest {
    const char *suite;
    const char *name;
    const char *file;
    int line;
    void (*body)();
};

// Filled by constructors, so it must exist before any of them runs.
std::vector<CTest> &registry()
{
    static std::vector<CTest> tests;
    return tests;
}

// Assertions of the running test, made on any thread.
std::atomic<unsigned long> asserted{0};

// Fails tests that assert nothing. GoogleTest takes failures noted in
// OnTestEnd() for those of the test that ends.
class AssertionCounter : public ::testing::EmptyTestEventListener
{
    void OnTestStart(const ::testing::TestInfo &) override { asserted = 0; }
    void OnTestEnd(const ::testing::TestInfo &info) override
    {
        const ::testing::TestResult *result = info.result();
        if (result->Skipped() || result->Failed() || asserted > 0) return;
        ADD_FAILURE() << "the test ended without an assertion";
    }
};

std::string &directory()
{
    static std::string path;
    return path;
}

std::string make_directory(const std::filesystem::path &parent)
{
    std::string path = (parent / "dnnl_cache.XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr) {
        std::perror("mkdtemp");
        std::abort();
    }
    return path;
}

// With DNNL_CACHE_TEST_KEEP all that tests leave stays in TMPDIR, for who looks
// at it afterwards: tests/tools/prove_stores.py.
void remove_directory(const std::string &path)
{
    static const bool is_kept = std::getenv("DNNL_CACHE_TEST_KEEP") != nullptr;
    std::error_code ignored;
    if (is_kept) return;
    std::filesystem::remove_all(path, ignored);
}

// The parent of tests' directories: tests may change TMPDIR.
std::string &temporary_files()
{
    static std::string path;
    return path;
}

class DirectoryRemover : public ::testing::EmptyTestEventListener
{
    void OnTestEnd(const ::testing::TestInfo &) override
    {
        if (!directory().empty()) remove_directory(directory());
        directory().clear();
    }
};

// While it lives, all temporary files of this process, of its children and of
// the drivers they load are below one directory, which is removed with whatever
// is left in it. Children may become other users, who must reach it.
class TemporaryFiles
{
  public:
    TemporaryFiles()
    {
        temporary_files() =
                make_directory(std::filesystem::temp_directory_path());
        chmod(temporary_files().c_str(), 0711);
        setenv("TMPDIR", temporary_files().c_str(), 1);
    }
    ~TemporaryFiles() { remove_directory(temporary_files()); }
    TemporaryFiles(const TemporaryFiles &) = delete;
    TemporaryFiles &operator=(const TemporaryFiles &) = delete;
};

struct End {
    void (*end)(void *thing);
    void *thing;
};

std::vector<End> &ends()
{
    static std::vector<End> all;
    return all;
}

class CTestFixture : public ::testing::Test
{
  public:
    explicit CTestFixture(void (*body)()) : body_(body) {}
    void TestBody() override { body_(); }
    void TearDown() override
    {
        while (!ends().empty()) {
            const End last = ends().back();
            ends().pop_back();
            last.end(last.thing);
        }
    }

  private:
    void (*body_)();
};

} // namespace

extern "C" void test_register(const char *suite, const char *name,
        const char *file, int line, void (*body)(void))
{
    registry().push_back({suite, name, file, line, body});
}

extern "C" void test_asserts(void)
{
    asserted.fetch_add(1, std::memory_order_relaxed);
}

extern "C" void test_fail(const char *file, int line, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    std::vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ADD_FAILURE_AT(file, line) << text;
}

extern "C" void test_skip(const char *, int, const char *reason)
{
    GTEST_SKIP() << reason;
}

extern "C" bool test_has_failed(void)
{
    return ::testing::Test::HasFailure();
}

extern "C" uint64_t test_seed(void)
{
    const char *given = std::getenv("DNNL_CACHE_TEST_SEED");
    uint64_t seed =
            given != nullptr
                    ? std::strtoull(given, nullptr, 0)
                    : (static_cast<uint64_t>(std::random_device{}()) << 32)
                              | std::random_device{}();
    std::printf("[   SEED   ] DNNL_CACHE_TEST_SEED=0x%llx\n",
            static_cast<unsigned long long>(seed));
    std::fflush(stdout); // a test that crashes should have told it
    return seed;
}

extern "C" bool is_in_sample(size_t number, uint64_t seed)
{
    if (std::getenv("DNNL_CACHE_TEST_SAMPLE") == nullptr) return true;
    return number < 3 ? number == seed % 3 : number % 6 == seed % 6;
}

extern "C" const char *test_directory(void)
{
    if (directory().empty()) directory() = make_directory(temporary_files());
    return directory().c_str();
}

extern "C" const char *in_test(const char *name)
{
    static thread_local std::string paths[8];
    static thread_local unsigned next;
    return (paths[next++ % 8] = std::string(test_directory()) + "/" + name)
            .c_str();
}

extern "C" void test_at_end(void (*end)(void *thing), void *thing)
{
    ends().push_back({end, thing});
}

extern "C" bool test_drop_capabilities(void)
{
    __user_cap_header_struct header = {};
    header.version = _LINUX_CAPABILITY_VERSION_3;
    const __user_cap_data_struct none[2] = {};
    return syscall(SYS_capset, &header, none) == 0;
}

extern "C" bool test_bytes_equal(const char *file, int line, const char *what,
        const void *expected, size_t expected_size, const void *actual,
        size_t actual_size)
{
    test_asserts();
    if (expected_size != actual_size) {
        test_fail(file, line, "%s: %zu and %zu bytes", what, expected_size,
                actual_size);
        return false;
    }
    const auto *a = static_cast<const unsigned char *>(expected);
    const auto *b = static_cast<const unsigned char *>(actual);
    for (size_t i = 0; i < expected_size; i++) {
        if (a[i] == b[i]) continue;
        test_fail(file, line, "%s differ first at byte %zu: %02x and %02x",
                what, i, a[i], b[i]);
        return false;
    }
    return true;
}

extern "C" bool test_strings_equal(const char *file, int line, const char *what,
        const char *expected, const char *actual)
{
    test_asserts();
    if (expected != nullptr && actual != nullptr
            && std::strcmp(expected, actual) == 0)
        return true;
    test_fail(file, line, "%s: \"%s\" and \"%s\"", what,
            expected != nullptr ? expected : "(null)",
            actual != nullptr ? actual : "(null)");
    return false;
}

namespace
{

// A binary may be several entries of ctest, each with a report of its own:
// GTEST_OUTPUT=xml:FOLDER/ would name both as the binary.
void name_report()
{
    const char *entry = std::getenv("DNNL_CACHE_TEST_ENTRY");
    const char *output = std::getenv("GTEST_OUTPUT");
    if (entry == nullptr || output == nullptr) return;
    std::string path = output;
    if (path.empty() || path.back() != '/') return;
    path += std::string(entry) + ".xml";
    ::testing::GTEST_FLAG(output) = path;
    unsetenv("DNNL_CACHE_TEST_ENTRY"); // not for processes that tests start
    unsetenv("GTEST_OUTPUT");
}

// Started by hand, the binary lacks the environment that its entry in ctest
// has: a test of the fake driver would use a real one. So the build writes that
// environment to a file beside the binary, and the process starts itself again
// with it: some variables are read before main(). Processes that tests start
// inherit the mark, and keep the environment that the test gives them.
void take_environment(char **argv)
{
    const char *mark = "DNNL_CACHE_TEST_ENVIRONMENT";
    if (std::getenv(mark) != nullptr) return;
    setenv(mark, "1", 1);
    if (std::getenv("DNNL_CACHE_TEST_ENTRY") != nullptr) return; // by ctest
    std::error_code error;
    const auto binary = std::filesystem::read_symlink("/proc/self/exe", error);
    std::ifstream file(binary.string() + ".environment");
    bool is_changed = false;
    for (std::string line; std::getline(file, line);) {
        const size_t name = line.find('=');
        if (name == std::string::npos) continue;
        setenv(line.substr(0, name).c_str(), line.substr(name + 1).c_str(), 1);
        is_changed = true;
    }
    if (!is_changed) return;
    execv(binary.c_str(), argv);
    std::perror(binary.c_str());
    std::exit(1);
}

// Who starts tests in the background, or with nohup, has them ignore signals
// that tests send.
void heed_signals()
{
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM})
        std::signal(signal, SIG_DFL);
}

// The merge tier has a share of the tests of what is no part of the cache,
// another one for each state of the sources (tests/CMakeLists.txt: SHARE), the
// full tier all. GoogleTest has a part that was chosen by hand.
void choose_share()
{
    const char *share = std::getenv("DNNL_CACHE_TEST_SHARE");
    if (share == nullptr || std::getenv("DNNL_CACHE_TEST_WHOLE") != nullptr
            || std::getenv("GTEST_TOTAL_SHARDS") != nullptr)
        return;
    const unsigned count = static_cast<unsigned>(std::atoi(share));
    const char *seed = std::getenv("DNNL_CACHE_TEST_SHARE_SEED");
    const unsigned long number = seed != nullptr
                                         ? std::strtoul(seed, nullptr, 16)
                                         : std::random_device{}();
    const std::string index = std::to_string(number % count);
    setenv("GTEST_TOTAL_SHARDS", share, 1);
    setenv("GTEST_SHARD_INDEX", index.c_str(), 1);
    std::printf("[  SHARE   ] GTEST_TOTAL_SHARDS=%s GTEST_SHARD_INDEX=%s\n",
            share, index.c_str());
}

// A program may have the tests of many entries of ctest: each names its
// sources, as the last parts of their paths with a comma between two. By hand,
// all run. Taken away, since it is not for the processes that tests start.
std::string take_sources()
{
    const char *sources = std::getenv("DNNL_CACHE_TEST_SOURCES");
    if (sources == nullptr) return "";
    const std::string list = "," + std::string(sources) + ",";
    unsetenv("DNNL_CACHE_TEST_SOURCES");
    return list;
}

// Each entry is a process of its own: all tests in one would find what others
// left.
bool is_for_ctest(const std::string &sources)
{
    const bool is_shared = std::getenv("DNNL_CACHE_TEST_SHARED") != nullptr;
    unsetenv("DNNL_CACHE_TEST_SHARED");
    if (!is_shared || !sources.empty() || ::testing::GTEST_FLAG(list_tests)
            || std::string(::testing::GTEST_FLAG(filter)) != "*")
        return false;
    std::fprintf(stderr,
            "this program has the tests of several entries of ctest, a process "
            "each: run them by ctest, or some of them by --gtest_filter or "
            "DNNL_CACHE_TEST_SOURCES=FILE.c,...\n");
    return true;
}

// What a platform cannot run: names with ':' between two, SUITE.TEST each
// (scripts/platforms/).
bool is_left_out(const CTest &test)
{
    const char *names = std::getenv("DNNL_CACHE_TEST_WITHOUT");
    if (names == nullptr) return false;
    const std::string name = std::string(test.suite) + "." + test.name;
    return (":" + std::string(names) + ":").find(":" + name + ":")
           != std::string::npos;
}

bool is_of(const std::string &sources, const std::string &file)
{
    const std::string name = "," + file.substr(file.rfind('/') + 1) + ",";
    return sources.empty() || sources.find(name) != std::string::npos;
}

} // namespace

int main(int argc, char **argv)
{
    take_environment(argv);
    heed_signals();
    name_report();
    ::testing::InitGoogleTest(&argc, argv);
    const TemporaryFiles for_this_run;
    auto &listeners = ::testing::UnitTest::GetInstance()->listeners();
    listeners.Append(new AssertionCounter);
    listeners.Append(new DirectoryRemover);
    const std::string sources = take_sources();
    if (is_for_ctest(sources)) return 77;
    for (const CTest &test : registry()) {
        if (!is_of(sources, test.file) || is_left_out(test)) continue;
        void (*body)() = test.body;
        ::testing::RegisterTest(test.suite, test.name, nullptr, nullptr,
                test.file, test.line,
                [body]() -> CTestFixture * { return new CTestFixture(body); });
    }
    choose_share();
    const int result = RUN_ALL_TESTS();
    const auto *unit = ::testing::UnitTest::GetInstance();
    if (unit->test_to_run_count() == 0 && !::testing::GTEST_FLAG(list_tests)
            && std::getenv("GTEST_TOTAL_SHARDS") == nullptr) {
        std::fprintf(stderr, "no test matches the filter\n");
        return 1;
    }
    return result;
}
