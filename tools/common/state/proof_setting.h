/* SPDX-License-Identifier: Apache-2.0 */
/* proof_setting.h: how much of a day's processor time "dnnl-cache refresh" may
 * spend on proving entries. */
#ifndef DNNL_CACHE_TOOLS_COMMON_STATE_PROOF_SETTING_H
#define DNNL_CACHE_TOOLS_COMMON_STATE_PROOF_SETTING_H

#define PROOF_SETTING "DNNL_CACHE_PROVE_PERCENT"

#endif /* DNNL_CACHE_TOOLS_COMMON_STATE_PROOF_SETTING_H */
