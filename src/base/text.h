/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Artifact text made safe to print. Both forms are UTF-8 and lose nothing: a reader can get the bytes back.
 */
#ifndef POSTERN_BASE_TEXT_H
#define POSTERN_BASE_TEXT_H

#include "base/outbuf.h"

/*
 * Every JSON (inventory.md, "Rules of writing"): valid UTF-8 stays, each byte of anything else and of every control
 * character (C0, DEL, C1) becomes \xNN, a backslash becomes \\.
 */
void text_sanitised(struct outbuf *out, struct span s);
/* Text reports and messages: also characters that have no width or turn the direction of writing become \xNN, byte by
 * byte. */
void text_for_terminal(struct outbuf *out, struct span s);
/* The bytes that text_sanitised was given: \\ and \xNN become what they stand for. False at a backslash that begins neither. */
bool text_restored(struct outbuf *out, struct span s);
/* Bytes of the UTF-8 character that s starts with, and which it is; 0 when s is empty or does not start with a valid
 * one. */
size_t text_character(struct span s, uint32_t *character);

#endif
