/* SPDX-License-Identifier: Apache-2.0 */
#include "scan/survey.h"

static enum exit_status scan(const struct options *o, struct arena *mem, struct spans *messages)
{
	return survey(o, REPORT_SCAN, mem, messages);
}

const struct command command_scan = {
        .name = "scan",
        .arguments = "ARTIFACT...",
        .help = "what is in it",
        .more = "Says which backends an image, wheel, folder or file needs, carries or mentions, for which GPU "
                "architectures,\n"
                "and who brought them in. What an artifact is, its content says.",
        .run = scan,
};
