/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/remote/thread/remote_breaker.h"

static const uint64_t first_pause_ns = 1000000000u;
static const uint64_t longest_pause_ns = 60 * (uint64_t)1000000000u;
/* A wait that was much longer, as of a process that was stopped meanwhile, is
 * paid for by the longest pause. */
static const uint64_t most_debt_ns =
        60 * (uint64_t)1000000000u / remote_breaker_budget_share;

void remote_breaker_init(struct remote_breaker *breaker, uint64_t timeout_ns)
{
    *breaker = (struct remote_breaker){
            .pause_ns = first_pause_ns, .capacity_ns = timeout_ns};
}

bool remote_result_is_error(enum remote_result result)
{
    return result == remote_result_failed || result == remote_result_timed_out;
}

/* Time has passed since the debt was last looked at. */
static void refill(struct remote_breaker *b, uint64_t now_ns)
{
    if (now_ns <= b->debt_at_ns) return;
    const uint64_t paid =
            (now_ns - b->debt_at_ns) / remote_breaker_budget_share;
    b->debt_ns = paid < b->debt_ns ? b->debt_ns - paid : 0;
    b->debt_at_ns = now_ns;
}

static void pause(struct remote_breaker *b, uint64_t now_ns)
{
    b->retry_at_ns = now_ns + b->pause_ns;
    b->pause_ns = b->pause_ns < longest_pause_ns / 2 ? 2 * b->pause_ns
                                                     : longest_pause_ns;
}

bool remote_breaker_rests(const struct remote_breaker *b, uint64_t now_ns)
{
    return b->is_open && now_ns < b->retry_at_ns;
}

enum remote_admission remote_breaker_admit(
        struct remote_breaker *b, uint64_t now_ns, uint64_t *wait_ns)
{
    if (remote_breaker_rests(b, now_ns)) return remote_admission_none;
    if (b->is_open) {
        pause(b, now_ns); /* if the probe closes the breaker, it is undone */
        return remote_admission_probe;
    }
    refill(b, now_ns);
    const uint64_t left =
            b->debt_ns < b->capacity_ns ? b->capacity_ns - b->debt_ns : 0;
    /* With less the answer would hardly be there in time. */
    if (left < b->capacity_ns / 8) return remote_admission_none;
    *wait_ns = left;
    return remote_admission_ask;
}

bool remote_breaker_note(
        struct remote_breaker *b, enum remote_result result, uint64_t now_ns)
{
    if (result == remote_result_out_of_memory) return false; /* not its doing */
    if (!remote_result_is_error(result)) {
        b->failures = 0;
        b->has_answered = true;
        b->is_open = false;
        b->pause_ns = first_pause_ns;
        return false;
    }
    if (b->is_open) return false; /* a probe, or asked before it opened */
    b->failures++;
    if (b->has_answered && b->failures < remote_breaker_failures) return false;
    b->is_open = true;
    b->opened++;
    pause(b, now_ns);
    return true;
}

void remote_breaker_waited(struct remote_breaker *b, uint64_t waited_ns,
        uint64_t saved_ns, uint64_t now_ns)
{
    refill(b, now_ns);
    if (saved_ns >= waited_ns) {
        const uint64_t won = saved_ns - waited_ns;
        b->debt_ns = won < b->debt_ns ? b->debt_ns - won : 0;
    } else {
        const uint64_t lost = waited_ns - saved_ns;
        const uint64_t most =
                b->capacity_ns > most_debt_ns ? b->capacity_ns : most_debt_ns;
        const uint64_t room = b->debt_ns < most ? most - b->debt_ns : 0;
        b->debt_ns += lost < room ? lost : room;
    }
}
