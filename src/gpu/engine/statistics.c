/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/engine/statistics.h"

struct statistics statistics;
