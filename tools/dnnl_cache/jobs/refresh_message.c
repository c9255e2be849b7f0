/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/jobs/refresh_message.h"

enum { item_turn = 1, item_code };

static void put_number(struct message *m, uint32_t kind, uint32_t number)
{
    message_begin(m, message_of_refresh);
    message_put(m, kind, number, 0, NULL);
}

static bool read_number(
        uint32_t *number, const struct message *m, uint32_t kind)
{
    struct message_item item;
    if (m->subject != message_of_refresh || !message_find(&item, m, kind))
        return false;
    *number = item.number;
    return true;
}

void refresh_order_put(struct message *order, char turn)
{
    put_number(order, item_turn, (uint8_t)turn);
}

bool refresh_order_read(char *turn, const struct message *order)
{
    uint32_t number;
    if (!read_number(&number, order, item_turn)
            || (number != '0' && number != '1'))
        return false;
    *turn = (char)number;
    return true;
}

void refresh_answer_put(struct message *answer, enum refresh_worker_exit code)
{
    put_number(answer, item_code, code);
}

bool refresh_answer_read(int *code, const struct message *answer)
{
    uint32_t number;
    if (!read_number(&number, answer, item_code)
            || number > refresh_worker_other_driver)
        return false;
    *code = (int)number;
    return true;
}
