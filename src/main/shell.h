// SPDX-License-Identifier: Apache-2.0
//
// shell: the interactive prompt: history (in $XDG_STATE_HOME/frazil/history), statements over
// several lines, and commands that begin with a backslash:
//
//     \d [NAME]  \dt  \dv  \l    what there is
//     \x  \timing                switches
//     \watch [SECONDS]           the last query again and again, until Ctrl-C
//     \i FILE  \?  \q
#pragma once

struct command_options;
struct session;

// Until \q or the end of input. Returns an exit code.
int shell_run(struct session *session, const struct command_options *options);
