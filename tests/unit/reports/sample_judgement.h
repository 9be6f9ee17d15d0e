/* SPDX-License-Identifier: Apache-2.0 */
/* The judgement of an image that cuda came into by the side door. */
#ifndef POSTERN_TESTS_SAMPLE_JUDGEMENT_H
#define POSTERN_TESTS_SAMPLE_JUDGEMENT_H

#include "model/policy.h"
#include "reports/sample_parts.h"

static inline struct finding *sample_finding(struct judged *j, struct arena *mem, enum finding_id id, enum grade grade,
                                             const char *package, uint64_t bytes)
{
	struct finding *f = list_add(mem, &j->findings);

	f->id = id;
	f->grade = grade;
	f->package = span_of(package);
	f->bytes = bytes;
	f->fingerprint = SPAN("0123456789abcdef0123456789abcdef");
	return f;
}

static inline void sample_proof(struct finding *f, struct arena *mem, const char *object, uint32_t layer,
                                const char *kind, const char *value, enum strength strength)
{
	*list_add(mem, &f->evidence) = (struct proof){span_of(object), layer, span_of(kind), span_of(value), strength, NULL};
}

static inline void sample_forbidden(struct judged *j, struct arena *mem, const char *id, const char *path,
                                    uint64_t bytes)
{
	struct finding *f = sample_finding(j, mem, FINDING_BACKEND_FORBIDDEN, GRADE_FAIL, id, bytes);

	f->backend = SPAN("cuda");
	f->has_level = true;
	f->level = LEVEL_CARRIED;
	f->layer = 2;
	f->message = arena_printf(mem, "cuda is forbidden here: %s brings libcublas.so.12", id);
	f->remedy = SPAN("install the rocm build of it, or leave it out");
	sample_proof(f, mem, path, 2, "vendor-library", "libcublas.so.12", STRENGTH_BUNDLED);
	spans_add(mem, &f->chain, span_of(id));
	spans_add(mem, &f->chain, span_of(path));
}

static inline struct judged *sample_judged(struct judgement *j, struct inventory *inv, struct policy *p,
                                           struct arena *mem)
{
	struct artifact *a = sample_artifact(inv, mem, "in/serve.tar", "docker-archive");
	struct layer *l;
	struct judged *to;

	for (uint32_t i = 0; i < 2; i++) {
		l = list_add(mem, &a->layers);
		l->verified = true;
		l->ref.has_step = true;
		l->ref.step = 2 * i + 1;
		l->ref.created_by =
		        i ? SPAN("RUN /bin/sh -c pip install -r requirements.txt # buildkit") : SPAN("ADD x /");
	}
	a->image.present = true;
	a->image.reference = SPAN("registry/app:1.4");
	p->name = SPAN("rocm7");
	p->source = SPAN("policies/rocm7.yaml");
	p->digest = SPAN("sha256:4444444444444444444444444444444444444444444444444444444444444444");
	*j = (struct judgement){.inventory = inv, .policy = p, .date = SPAN("2026-12-01"), .fail_on = GRADE_FAIL};
	j->inventory_digest = SPAN("sha256:5555555555555555555555555555555555555555555555555555555555555555");
	to = list_add(mem, &j->artifacts);
	to->artifact = a;
	return to;
}

/* Three packages of one step, a class that is not served, a tool that is waived, and odd things. */
static inline void sample_judgement(struct judgement *j, struct inventory *inv, struct policy *p, struct arena *mem)
{
	struct judged *to = sample_judged(j, inv, p, mem);
	struct waiver *w = list_add(mem, &p->waivers);
	struct class_answer *c;
	struct finding *f;

	*w = (struct waiver){.finding = FINDING_TOOLCHAIN_SHIPPED,
	                     .reason = SPAN("ptxas is not called"),
	                     .owner = SPAN("ml"),
	                     .expires = SPAN("2027-03-31")};
	sample_forbidden(to, mem, "pypi:cupy-cuda12x@13.6.0", "cupy/_core.so", 900000000);
	sample_forbidden(to, mem, "pypi:nvidia-cufft-cu12@11.4.1", "nvidia/libcufft.so.11", 200000000);
	sample_forbidden(to, mem, "pypi:torchvision@0.23.0", "torchvision/_C.so", 40000000);
	f = sample_finding(to, mem, FINDING_TARGET_MISSING, GRADE_WARN, "pypi:onnxruntime-rocm@1.22.2", 5000);
	f->class_name = SPAN("mi300");
	f->target = SPAN("gfx950");
	f->backend = SPAN("rocm");
	f->path = SPAN("onnxruntime/capi/provider.so");
	f->layer = 1;
	f->message = SPAN("nothing in onnxruntime-rocm 1.22.2 runs on gfx950");
	f->remedy = SPAN("take a build for gfx950");
	sample_proof(f, mem, "onnxruntime/capi/provider.so", 1, "device-code", "gfx942", STRENGTH_EMBEDDED);
	f = sample_finding(to, mem, FINDING_TOOLCHAIN_SHIPPED, GRADE_WARN, "pypi:triton@3.4.0", 50);
	f->backend = SPAN("cuda");
	f->message = SPAN("triton 3.4.0 brings tools of cuda: ptxas");
	f->waiver = w;
	sample_proof(f, mem, "triton/bin/ptxas", 2, "toolchain", "ptxas", STRENGTH_TOOL);
	f = sample_finding(to, mem, FINDING_ARCHIVE_MALFORMED, GRADE_INFO, "", 0);
	f->path = SPAN("x\033[2J.zip");
	f->message = SPAN("'x\033[2J.zip': its directory lies");
	sample_proof(f, mem, "x\033[2J.zip", 1, "problem", "its directory lies", STRENGTH_COUNT);
	c = list_add(mem, &to->classes);
	c->class_name = SPAN("mi300");
	c->answer = ANSWER_NONE;
	*list_add(mem, &c->objects) = (struct object_answer){.path = SPAN("onnxruntime/capi/provider.so"),
	                                                     .answer = ANSWER_NATIVE,
	                                                     .partial = true,
	                                                     .served = 292,
	                                                     .units = 609};
	to->verdict = VERDICT_FAIL;
	j->verdict = VERDICT_FAIL;
	j->fails = 3;
	j->warns = 1;
	j->infos = 1;
	j->waived = 1;
	spans_add(mem, &j->notes, SPAN("class 'h100' is of cuda, which nothing here needs or carries"));
	list_add(mem, &p->overrides)->reason = SPAN("by design");
	*list_add(mem, &j->overridden) = 2;
	*list_add(mem, &j->unused) = w;
}

#endif
