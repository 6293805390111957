/* The known word that a mistyped one probably means: of flags, commands, settings and messages' keys. */
#ifndef CLASHD_CLI_NEAREST_WORD_H
#define CLASHD_CLI_NEAREST_WORD_H

#include "failure.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct nearest_word {
    const char *typed;
    const char *found; /* NULL: none of those offered is near */
    size_t distance;   /* of `found`; before, the largest that counts as near */
} nearest_word;

/** Begin with the mistyped word, which must outlive the search. */
nearest_word nearest_word_begin(const char *typed);
/** Offer a known word of at most 63 bytes; the first of the nearest ones is kept. */
void nearest_word_offer(nearest_word *c, const char *known);

/** Return whether a list of words, separated by blanks, has the word itself. */
bool nearest_word_is_in(const char *typed, const char *words);
/** Add ", is it 'WORD'?" for the nearest of a list of words to a message that says what was expected; nothing if none is near. Once
 *  only, and the message may be NULL. */
void nearest_word_add(const char *typed, const char *words, failure *out_expected);

#endif
