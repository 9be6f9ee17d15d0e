/* SPDX-License-Identifier: Apache-2.0 */
/* What the verbs that scan have in common: rule data, scan, reports, status. */
#ifndef POSTERN_SURVEY_H
#define POSTERN_SURVEY_H

#include "options.h"

enum exit_status survey(const struct options *o, enum report_subject subject, struct arena *mem, struct spans *messages);

#endif
