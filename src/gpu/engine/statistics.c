/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/engine/statistics.h"

struct statistics statistics;
