/* SPDX-License-Identifier: Apache-2.0 */
/* units.h: sizes, ages, times and durations, as people write and read them. */
#ifndef DNNL_CACHE_TOOLS_COMMON_TEXT_UNITS_H
#define DNNL_CACHE_TOOLS_COMMON_TEXT_UNITS_H

#include <stdbool.h>
#include <stdint.h>

/* "1000", "10M", "1.5GiB": K, M, G, T and KiB ... are powers of 1024, KB ...
 * of 1000; whatever the case. False for anything else, or beyond 2^64. */
bool units_parse_size(uint64_t *bytes, const char *text);

/* "90s", "30m", "12h", "30d", "2w": at least one second. */
bool units_parse_age(uint64_t *seconds, const char *text);

enum { units_text_size = 40 };

/* "397 B", "1.5 GiB" */
void units_print_size(char text[units_text_size], uint64_t bytes);

/* "412.0 ms", "3.25 s"; "-" for 0, which is not known. */
void units_print_duration(char text[units_text_size], uint64_t ns);

/* "2026-11-21 19:47" in local time; "-" for 0. */
void units_print_time(char text[units_text_size], uint64_t ns);

/* "2026-11-21T18:47:00.123456789Z" */
void units_print_utc(char text[units_text_size], uint64_t ns);

#endif /* DNNL_CACHE_TOOLS_COMMON_TEXT_UNITS_H */
