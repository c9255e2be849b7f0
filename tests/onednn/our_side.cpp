/* SPDX-License-Identifier: Apache-2.0 */
/* The same as a C++ program sees it. */
#include "our_side.c"
