// SPDX-License-Identifier: Apache-2.0
// The scenes of tests/data/includes, in which the compiler's part was recorded:
// a program that is cacheable stays so, and each change after which the
// compiler makes something else of it gives it another ID, or none.
#include "resolver.hpp"
#include "scene.hpp"

#include "counted_gtest.h"
#include "test.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace fs = std::filesystem;
using namespace campaign;

namespace
{

std::vector<std::string> scene_files()
{
    std::vector<std::string> paths;
    for (const fs::directory_entry &e :
            fs::directory_iterator(DNNL_CACHE_SCENES))
        if (e.path().extension() == ".scene") paths.push_back(e.path());
    std::sort(paths.begin(), paths.end());
    return paths;
}

std::string name_of(const ::testing::TestParamInfo<std::string> &info)
{
    return fs::path(info.param).stem();
}

class IncludeScenes : public ::testing::TestWithParam<std::string>
{
  protected:
    void SetUp() override
    {
        std::ifstream in(GetParam(), std::ios::binary);
        scene_ = parse_scene({std::istreambuf_iterator<char>(in), {}});
        home_ = fs::current_path();
        root_ = test_directory();
        fs::current_path(root_);
        put_scene(scene_, root_);
    }
    void TearDown() override
    {
        leave_environment();
        fs::current_path(home_);
    }
    scene scene_;
    std::string home_;
    std::string root_;
};

} // namespace

TEST_P(IncludeScenes, AreReadAsTheCompilerReadsThem)
{
    if (scene_.embedded) {
        const embedded_program p = embed(scene_, root_);
        // No file takes the place of an embedded header.
        EXPECT_TRUE(scene_.changes.empty() || !p.cacheable);
        EXPECT_TRUE(p.cacheable || !scene_.cacheable) << p.reason;
        return;
    }
    const answer before = ask_layer(scene_, root_);
    EXPECT_TRUE(before.cacheable || !scene_.cacheable) << before.reason;
    if (!before.cacheable) return;
    EXPECT_EQ(before.digest, ask_layer(scene_, root_).digest);
    EXPECT_TRUE(before.count > 0 || scene_.reads.empty());
    for (const change &c : scene_.changes) {
        put_scene(scene_, root_);
        ASSERT_TRUE(apply_change(c, root_)) << to_text(c);
        const answer after = ask_layer(scene_, root_);
        EXPECT_TRUE(!after.cacheable || after.digest != before.digest)
                << "stale after: " << to_text(c);
    }
}

TEST_P(IncludeScenes, AreWrittenAsTheyAreRead)
{
    std::ifstream in(GetParam(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    EXPECT_EQ(text, to_text(scene_));
}

INSTANTIATE_TEST_SUITE_P(
        All, IncludeScenes, ::testing::ValuesIn(scene_files()), name_of);
