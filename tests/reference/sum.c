/* SPDX-License-Identifier: Apache-2.0 */
#include "reference.h"

#include <float.h>
#include <math.h>

struct reference_value reference_sum(const struct reference_tensor *const *srcs,
        const float *scales, int n, const dnnl_dims_t place)
{
    double sum = 0.0;
    double absolute = 0.0;
    for (int i = 0; i < n; i++) {
        double product = (double)scales[i] * reference_at(srcs[i], place);
        sum += product;
        absolute += fabs(product);
    }
    double lost = (n + 2) * (double)FLT_EPSILON * absolute;
    return (struct reference_value){sum, isfinite(sum) ? lost : 0.0};
}
