/* SPDX-License-Identifier: Apache-2.0 */
/* vectors: what ViennaCL makes programs for, computed and printed. */
#include <viennacl/linalg/inner_prod.hpp>
#include <viennacl/linalg/norm_2.hpp>
#include <viennacl/linalg/prod.hpp>
#include <viennacl/matrix.hpp>
#include <viennacl/vector.hpp>

#include <cstddef>
#include <cstdio>
#include <vector>

int main()
{
    const std::size_t n = 64;
    std::vector<float> up(n), down(n), product(n);
    viennacl::vector<float> x(n), y(n), z(n);
    viennacl::matrix<float> a = viennacl::scalar_matrix<float>(n, n, 0.5f);

    for (std::size_t i = 0; i < n; i++) {
        up[i] = static_cast<float>(i);
        down[i] = static_cast<float>(n - i);
    }
    viennacl::copy(up, x);
    viennacl::copy(down, y);
    y += 2.0f * x;
    z = viennacl::linalg::prod(a, y);
    viennacl::copy(z, product);
    std::printf("%g %g %g\n",
            static_cast<double>(
                    static_cast<float>(viennacl::linalg::inner_prod(x, y))),
            static_cast<double>(
                    static_cast<float>(viennacl::linalg::norm_2(y))),
            static_cast<double>(product[n - 1]));
    return 0;
}
