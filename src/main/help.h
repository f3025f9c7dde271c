// SPDX-License-Identifier: Apache-2.0
//
// help: what --help and --version print.
#pragma once

// `verb` may be NULL: the overview.
void help_print(const char *verb);
void help_version(void);
