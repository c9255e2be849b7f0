/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program around one file of oneDNN's tests, in place of oneDNN's own: it
 * writes a line of JSON about each case to the file that $ONEDNN_SUITE_RESULTS
 * names. A case has one of these verdicts:
 *
 *   passed   everything that the case asserts
 *   wider    all that the case computes is right, and the library does what the
 *            case asserts to be dnnl_unimplemented, or takes an attribute that
 *            it asserts to be refused; the case may end there
 *   refused  a descriptor was dnnl_unimplemented, and the case needs it
 *   skipped  the case itself does not apply
 *   failed   all else
 *
 * "refused" has the reason that ONEDNN_VERBOSE=dispatch gives.
 */
#include "gtest/gtest.h"

#include "dnnl_test_common.hpp"

#include <dnnl_cache.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <streambuf>
#include <string>

namespace
{

/* What is known of the case that runs. */
struct running_case {
    std::mutex lock;
    std::string refusal;     /* the last line of a refused descriptor */
    std::string failure;     /* the first */
    bool is_refused = false; /* and that ended it */
    bool is_wider = false;
    bool is_over = false;  /* it threw since nothing was thrown */
    bool is_fatal = false; /* oneDNN's tests skip the rest of their checks */

    void reset()
    {
        refusal.clear();
        failure.clear();
        is_refused = is_wider = is_over = is_fatal = false;
    }
} current;

void hear(dnnl_cache_log_level_t, const char *text, void *)
{
    std::lock_guard<std::mutex> guard(current.lock);
    if (strstr(text, ",create:dispatch,") != nullptr) current.refusal = text;
    if (strstr(text, ",create:check,") != nullptr) current.refusal.clear();
}

bool has(const std::string &text, const char *part)
{
    return text.find(part) != std::string::npos;
}

/* Passes standard output on, and looks for what oneDNN's tests tell there of
 * descriptors that were not created. */
class watched_output : public std::streambuf
{
  public:
    explicit watched_output(std::streambuf *to) : to_(to) {}

  protected:
    int overflow(int c) override
    {
        if (c == EOF) return 0;
        if (c != '\n') {
            line_ += char(c);
        } else {
            if (has(line_, "[  UNIMPL  ]")) current.is_refused = true;
            note_mismatch();
            line_.clear();
        }
        return to_->sputc(char(c));
    }
    int sync() override { return to_->pubsync(); }

  private:
    std::streambuf *to_;
    std::string line_;

    /* Another status than the one that was expected. A primitive of a kind that
     * is not here is refused before its arguments are looked at. */
    void note_mismatch()
    {
        if (!has(line_, "Expect failure")) return;
        if (has(line_, "status(unimplemented), but operation succeed"))
            current.is_wider = current.is_over = true;
        else if (has(line_, "get(unimplemented)") && is_of_absent_kind())
            current.is_refused = true;
        else
            current.failure = line_;
    }

    bool is_of_absent_kind()
    {
        std::lock_guard<std::mutex> guard(current.lock);
        return has(current.refusal, "no backward propagation")
               || has(current.refusal, "no recurrent primitives");
    }
};

/* An attribute that test_*_pd_constructors() expects to be refused. */
bool is_of_wider(const testing::TestPartResult &part)
{
    std::string message = part.message();
    return part.file_name() != nullptr
           && has(part.file_name(), "dnnl_test_common.hpp")
           && (has(message, "throws an exception")
                   || has(message, "Value of: new_pd"));
}

bool is_of_refusal(const testing::TestPartResult &part)
{
    std::lock_guard<std::mutex> guard(current.lock);
    bool is_told = has(part.message(), "could not create a descriptor")
                   || has(part.message(), "Which is: 3\n  dnnl_success");
    return is_told && !current.refusal.empty();
}

void write_text(FILE *file, const std::string &text)
{
    fputc('"', file);
    for (unsigned char c : text) {
        if (c == '"' || c == '\\')
            fprintf(file, "\\%c", c);
        else if (c < 0x20)
            fprintf(file, "\\u%04x", c);
        else
            fputc(c, file);
    }
    fputc('"', file);
}

class reporter : public testing::EmptyTestEventListener
{
  public:
    explicit reporter(FILE *file) : file_(file) {}

    void OnTestStart(const testing::TestInfo &) override { current.reset(); }

    void OnTestPartResult(const testing::TestPartResult &part) override
    {
        if (!part.failed()) return;
        if (is_of_wider(part)) {
            current.is_wider = true;
            return;
        }
        if (current.is_over && has(part.message(), "\"std::exception\" thrown"))
            return;
        if (is_of_refusal(part))
            current.is_refused = true;
        else if (current.failure.empty())
            current.failure = part.message();
        if (part.fatally_failed()) current.is_fatal = true;
    }

    void OnTestEnd(const testing::TestInfo &test) override
    {
        const char *verdict = !current.failure.empty()   ? "failed"
                              : test.result()->Skipped() ? "skipped"
                              : current.is_refused       ? "refused"
                              : current.is_wider         ? "wider"
                                                         : "passed";
        fprintf(file_, "{\"case\": \"%s.%s\", \"verdict\": \"%s\"",
                test.test_suite_name(), test.name(), verdict);
        if (current.is_refused) {
            fprintf(file_, ", \"refusal\": ");
            write_text(file_, current.refusal);
        }
        if (!current.failure.empty()) {
            fprintf(file_, ", \"failure\": ");
            write_text(file_, current.failure.substr(0, 400));
        }
        fprintf(file_, "}\n");
        fflush(file_);
    }

  private:
    FILE *file_;
};

std::unique_ptr<dnnl::engine> test_engine;

} // namespace

bool is_current_test_failed()
{
    return current.is_fatal;
}

dnnl::engine::kind get_test_engine_kind()
{
    return dnnl::engine::kind::gpu;
}

dnnl::engine get_test_engine()
{
    return *test_engine;
}

int main(int argc, char *argv[])
{
    testing::InitGoogleTest(&argc, argv);
    const char *path = getenv("ONEDNN_SUITE_RESULTS");
    FILE *file = path != nullptr ? fopen(path, "a") : stdout;
    if (file == nullptr
            || dnnl_cache_set_log_callback(hear, nullptr) != dnnl_success) {
        perror(path);
        return 2;
    }
    watched_output output(std::cout.rdbuf());
    std::streambuf *plain = std::cout.rdbuf(&output);
    testing::UnitTest::GetInstance()->listeners().Append(new reporter(file));
    /* Cases of the other engine have its name in theirs. */
    testing::GTEST_FLAG(filter) +=
            testing::GTEST_FLAG(filter).find('-') == std::string::npos
                    ? "-*_CPU*"
                    : ":*_CPU*";
    test_engine.reset(new dnnl::engine(get_test_engine_kind(), 0));
    int result = RUN_ALL_TESTS();
    test_engine.reset();
    std::cout.rdbuf(plain);
    return result;
}
