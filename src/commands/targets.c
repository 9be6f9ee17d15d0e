/* SPDX-License-Identifier: Apache-2.0 */
#include "scan/survey.h"

static enum exit_status targets(const struct options *o, struct arena *mem, struct spans *messages)
{
	return survey(o, REPORT_TARGETS, mem, messages);
}

const struct command command_targets = {
        .name = "targets",
        .arguments = "FILE...",
        .help = "device code, row by row",
        .more = "Lists the device code of files, also of those in wheels and folders: form, target, number of images.",
        .run = targets,
};
