// SPDX-License-Identifier: Apache-2.0
// Random scenes. Most are what programs look like, so that most are cacheable;
// the rest is what nobody writes.
#ifndef DNNL_CACHE_TESTS_INCLUDE_CAMPAIGN_GENERATE_HPP
#define DNNL_CACHE_TESTS_INCLUDE_CAMPAIGN_GENERATE_HPP

#include "random.hpp"
#include "scene.hpp"

namespace campaign
{

scene generate_scene(random_numbers &r);

// A change to the files of a scene; absent are places that the compiler looked
// at, from the scene's folder.
change generate_change(random_numbers &r, const scene &s,
        const std::vector<std::string> &absent);

} // namespace campaign

#endif // DNNL_CACHE_TESTS_INCLUDE_CAMPAIGN_GENERATE_HPP
