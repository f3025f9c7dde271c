// SPDX-License-Identifier: Apache-2.0
#include "sql/script.h"

#include "sql/lexer.h"

// Where the reader stands in a statement set.
struct block {
    uint32_t matched; // of the words STATEMENT SET BEGIN, in a row
    bool inside;
    uint32_t cases; // CASEs that wait for their END
};

static void block_step(struct block *block, struct token token)
{
    static const enum keyword opening[] = {KEYWORD_STATEMENT, KEYWORD_SET, KEYWORD_BEGIN};
    enum keyword keyword = token.kind == TOKEN_WORD ? token.keyword : NO_KEYWORD;
    if (block->inside) {
        if (keyword == KEYWORD_CASE) {
            block->cases++;
        } else if (keyword == KEYWORD_END && block->cases > 0) {
            block->cases--;
        } else if (keyword == KEYWORD_END) {
            block->inside = false;
        }
        return;
    }
    block->matched = keyword == opening[block->matched] ? block->matched + 1
                     : keyword == opening[0]            ? 1
                                                        : 0;
    if (block->matched == 3) {
        *block = (struct block){.inside = true};
    }
}

void script_init(struct script *script, struct str text)
{
    *script = (struct script){.text = text, .final = true, .line = 1, .column = 1};
}

// What a faulty token leaves open; 0: it is over.
static char open_quote(struct token token)
{
    if (token.kind != TOKEN_ERROR) {
        return 0;
    }
    return token.fault == TOKEN_FAULT_STRING_END    ? '\''
           : token.fault == TOKEN_FAULT_COMMENT_END ? '*'
                                                    : 0;
}

// Counts lines and characters on to `at`.
static void place(struct script *script, size_t at)
{
    for (; script->placed < at; script->placed++) {
        char byte = script->text.ptr[script->placed];
        if (byte == '\n') {
            script->line++;
            script->column = 1;
        } else if ((byte & 0xc0) != 0x80) {
            script->column++;
        }
    }
}

static void finish(struct script *script, size_t from, size_t to, struct script_statement *out)
{
    place(script, from);
    out->text = str_trim(str_slice(script->text, from, to));
    out->offset = from;
    out->line = script->line;
    out->column = script->column;
}

bool script_next(struct script *script, struct script_statement *out)
{
    struct lexer lexer;
    struct block block = {0};
    bool begun = false;
    size_t from = 0;
    *out = (struct script_statement){0};
    lexer_init(&lexer, script->text);
    lexer.at = (uint32_t)script->at;
    for (;;) {
        struct token token = lexer_next(&lexer);
        char quote = open_quote(token);
        // A comment that does not end is no statement, but hides what may follow.
        bool end = token.kind == TOKEN_END || quote != 0;
        if (!begun && token.kind != TOKEN_END && token.kind != TOKEN_SEMICOLON) {
            begun = true;
            from = token.offset;
        }
        if (end) {
            out->open = begun;
            out->quote = block.inside && quote == 0 ? 'B' : quote;
            if (!begun || !script->final) {
                script->at = begun ? script->at : script->text.size;
                return false;
            }
            finish(script, from, script->text.size, out);
            script->at = script->text.size;
            return true;
        }
        block_step(&block, token);
        if (token.kind == TOKEN_SEMICOLON && !block.inside) {
            script->at = lexer.at;
            if (begun) {
                finish(script, from, token.offset, out);
                return true;
            }
        }
    }
}
