/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/text/units.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/* ---- Reading ------------------------------------------------------------- */

/* Digits up to another character, where *text then points. */
static bool parse_digits(uint64_t *value, const char **text)
{
    const char *start = *text;
    uint64_t v = 0;
    for (; **text >= '0' && **text <= '9'; ++*text) {
        const uint64_t digit = (uint64_t)(**text - '0');
        if (v > (UINT64_MAX - digit) / 10) return false;
        v = 10 * v + digit;
    }
    *value = v;
    return *text != start;
}

static bool find_size_unit(uint64_t *unit, const char *name)
{
    static const char letters[] = "KMGT";
    if (name[0] == '\0' || strcasecmp(name, "B") == 0) {
        *unit = 1;
        return true;
    }
    uint64_t binary = 1;
    uint64_t decimal = 1;
    for (int i = 0; i < 4; i++) {
        const char iec[] = {letters[i], 'i', 'B', '\0'};
        const char si[] = {letters[i], 'B', '\0'};
        const char alone[] = {letters[i], '\0'};
        binary *= 1024;
        decimal *= 1000;
        if (strcasecmp(name, iec) == 0 || strcasecmp(name, alone) == 0)
            *unit = binary;
        else if (strcasecmp(name, si) == 0)
            *unit = decimal;
        else
            continue;
        return true;
    }
    return false;
}

bool units_parse_size(uint64_t *bytes, const char *text)
{
    uint64_t whole;
    uint64_t part = 0;
    uint64_t scale = 1;
    uint64_t unit;
    if (!parse_digits(&whole, &text)) return false;
    if (*text == '.') {
        const char *start = ++text;
        if (!parse_digits(&part, &text) || text - start > 6) return false;
        for (; start < text; start++)
            scale *= 10;
    }
    if (!find_size_unit(&unit, text) || (unit == 1 && scale > 1)) return false;
    /* Below 10^6 times 2^40, so no overflow. */
    const uint64_t fraction = part * unit / scale;
    if (whole > (UINT64_MAX - fraction) / unit) return false;
    *bytes = whole * unit + fraction;
    return true;
}

bool units_parse_age(uint64_t *seconds, const char *text)
{
    static const char letters[] = "smhdw";
    static const uint64_t units[] = {1, 60, 3600, 86400, 604800};
    uint64_t number;
    if (!parse_digits(&number, &text) || number == 0 || *text == '\0')
        return false;
    const char *letter = strchr(letters, *text);
    if (letter == NULL || text[1] != '\0') return false;
    const uint64_t unit = units[letter - letters];
    if (number > UINT64_MAX / unit) return false;
    *seconds = number * unit;
    return true;
}

/* ---- Writing ------------------------------------------------------------- */

void units_print_size(char text[units_text_size], uint64_t bytes)
{
    static const char *const names[] = {"KiB", "MiB", "GiB", "TiB", "PiB"};
    if (bytes < 1024) {
        snprintf(text, units_text_size, "%u B", (unsigned)bytes);
        return;
    }
    double value = (double)bytes / 1024;
    int i = 0;
    /* 1023.96 would be shown as 1024.0. */
    for (; value >= 1023.95 && i < 4; i++)
        value /= 1024;
    snprintf(text, units_text_size, "%.1f %s", value, names[i]);
}

void units_print_duration(char text[units_text_size], uint64_t ns)
{
    const double ms = (double)ns / 1e6;
    if (ns == 0)
        snprintf(text, units_text_size, "-");
    else if (ms < 0.1)
        snprintf(text, units_text_size, "%.1f us", 1e3 * ms);
    else if (ms < 999.95)
        snprintf(text, units_text_size, "%.1f ms", ms);
    else if (ms < 120e3)
        snprintf(text, units_text_size, "%.2f s", ms / 1e3);
    else if (ms < 7200e3)
        snprintf(text, units_text_size, "%.1f min", ms / 60e3);
    else
        snprintf(text, units_text_size, "%.1f h", ms / 3600e3);
}

void units_print_time(char text[units_text_size], uint64_t ns)
{
    const time_t seconds = (time_t)(ns / 1000000000u);
    struct tm tm;
    if (ns == 0 || localtime_r(&seconds, &tm) == NULL
            || strftime(text, units_text_size, "%Y-%m-%d %H:%M", &tm) == 0)
        snprintf(text, units_text_size, "-");
}

void units_print_utc(char text[units_text_size], uint64_t ns)
{
    const time_t seconds = (time_t)(ns / 1000000000u);
    struct tm tm;
    size_t n = 0;
    if (gmtime_r(&seconds, &tm) != NULL)
        n = strftime(text, units_text_size, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(text + n, units_text_size - n, ".%09uZ",
            (unsigned)(ns % 1000000000u));
}
