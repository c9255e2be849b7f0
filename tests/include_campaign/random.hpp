// SPDX-License-Identifier: Apache-2.0
// Numbers that are the same on every machine for the same seed.
#ifndef DNNL_CACHE_TESTS_INCLUDE_CAMPAIGN_RANDOM_HPP
#define DNNL_CACHE_TESTS_INCLUDE_CAMPAIGN_RANDOM_HPP

#include <cstdint>
#include <string>
#include <vector>

namespace campaign
{

class random_numbers
{
  public:
    explicit random_numbers(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next()
    {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31);
    }
    std::size_t below(std::size_t n) { return n == 0 ? 0 : next() % n; }
    bool percent(unsigned n) { return below(100) < n; }

    template <std::size_t n> std::string of(const char *const (&list)[n])
    {
        return list[below(n)];
    }
    template <typename T> const T &of(const std::vector<T> &list)
    {
        return list[below(list.size())];
    }

  private:
    std::uint64_t state_;
};

} // namespace campaign

#endif // DNNL_CACHE_TESTS_INCLUDE_CAMPAIGN_RANDOM_HPP
