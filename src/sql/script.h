// SPDX-License-Identifier: Apache-2.0
//
// script: a text cut into its statements.
//
//     struct script script;
//     struct script_statement statement;
//     script_init(&script, text);
//     while (script_next(&script, &statement)) {
//         run(statement.text);             // an error's offset counts from statement.offset
//     }
//     if (statement.open) { more text is needed }
//
// A statement ends at a ';' that stands in no string, quoted name or comment, and in no STATEMENT
// SET BEGIN ... END. Its text begins at its first token (comments in front are gone, those inside
// stay) and does not hold the ';'. Statements without a token are left out. What cannot be read (an
// odd character) is left in the statement, for the parser to refuse.
//
// For a shell: script_next() with `final` false does not return a statement without its ';'; the
// text is then read again from script.at once there is more of it.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct script {
    struct str text;
    size_t at;     // where the next statement is looked for
    bool final;    // no more text comes: the end ends the last statement
    size_t placed; // `line` and `column` are those of this byte
    uint32_t line;
    uint32_t column;
};

struct script_statement {
    struct str text; // borrowed from the script
    size_t offset;   // of `text` in the script
    uint32_t line;   // where it begins, from 1
    uint32_t column; // in characters, from 1
    bool open;       // it has begun, and its ';' is not there yet
    char quote;      // what is open: ' or ` or * (a comment), B (BEGIN ... END), 0: only the ';' is
                     // missing
};

void script_init(struct script *script, struct str text); // final
// False at the end; then `out` says whether a statement is open.
bool script_next(struct script *script, struct script_statement *out);
