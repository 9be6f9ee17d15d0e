/* SPDX-License-Identifier: Apache-2.0 */
#include "rules/check.h"

static const struct check_family *const families[] = {
#define CHECK(name) &checks_##name,
#include "rules/checks/list.def"
#undef CHECK
};

void checks_run(const struct check_input *in, struct judged *out)
{
	/* Of what was not scanned nothing is known but why. */
	if (in->artifact->refused) {
		checks_trust.run(in, out);
		return;
	}
	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
		families[i]->run(in, out);
}
