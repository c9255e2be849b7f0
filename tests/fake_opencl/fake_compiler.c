/* SPDX-License-Identifier: Apache-2.0 */
/* Plays the part of the compiler library that a driver links: its build-id is
 * all that matters. */
int fake_compiler_version(void);

__attribute__((visibility("default"))) int fake_compiler_version(void)
{
    return 1;
}
