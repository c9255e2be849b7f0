// SPDX-License-Identifier: Apache-2.0
#include "own_names.c"
