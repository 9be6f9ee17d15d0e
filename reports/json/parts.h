/* SPDX-License-Identifier: Apache-2.0 */
/* Values of inventory.md, each built whole: the caller prints and frees it. */
#ifndef POSTERN_REPORTS_JSON_PARTS_H
#define POSTERN_REPORTS_JSON_PARTS_H

#include "base/json.h"
#include "model/inventory.h"

json *json_of_object(const struct object *o);
json *json_of_device_codes(const struct device_codes *l);
/* verified: hashes of its files were compared. */
json *json_of_package(const struct package *p, bool verified);
json *json_of_problem(const struct problem *p);
json *json_of_store(const struct store *s);
/* layers: the artifact has some. */
json *json_of_backend(const struct backend_sum *b, bool layers);
json *json_of_config(const struct image *image);
json *json_of_layer(const struct layer *l, size_t index);
/* "layer", counted from 0; nothing where there is none. */
void json_add_layer(json *object, uint32_t layer);
/* by: the layer that hides it, 0 where there is none. */
void json_add_visible(json *object, bool hidden, uint32_t by);

/* Leaves the member out when text is empty. */
void json_add_some(json *object, const char *name, struct span text);

#endif
