/* SPDX-License-Identifier: Apache-2.0 */
/* model_operators: prints the operators that the model loader has, for the
 * table of docs/reference/operators.md (scripts/operator_table.py). */
#include "model/import/operators.h"

int main(void)
{
    operators_print(stdout);
    return fflush(stdout) == 0 ? 0 : 1;
}
