/* SPDX-License-Identifier: Apache-2.0 */
/* A program that would find the stand-in for a loader by its run path. */
int main(void)
{
    return 0;
}
