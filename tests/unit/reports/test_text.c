/* SPDX-License-Identifier: Apache-2.0 */
/* Whole reports at 80 columns, as output.md wants them: the answer first, what to do next last. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "reports/report.h"
#include "reports/sample_image.h"
#include "reports/sample_inventory.h"

typedef void make(struct inventory *inv, struct arena *mem);

static struct outbuf render(struct report_options o, make *const *makers, size_t n, struct arena *mem)
{
	struct outbuf out = outbuf_limited(1 << 20);
	struct inventory inv = {0};

	for (size_t i = 0; i < n; i++)
		makers[i](&inv, mem);
	report_by_name(SPAN("text"))->write(&inv, NULL, &o, &out);
	assert_false(out.failed);
	outbuf_char(&out, '\0');
	return out;
}

static void expect(struct report_options o, make *const *makers, size_t n, const char *want)
{
	struct arena mem = ARENA_INIT;
	struct outbuf out = render(o, makers, n, &mem);

	assert_string_equal((const char *)out.p, want);
	outbuf_release(&out);
	arena_clear(&mem);
}

static const struct report_options plain = {.subject = REPORT_SCAN, .width = 80};
static const struct report_options utf8 = {.subject = REPORT_SCAN, .width = 80, .utf8 = true};

static void a_wheel_is_called_by_package_and_version(void **state)
{
	make *const makers[] = {sample_wheel};

	expect(utf8, makers, 1,
	       "xformers 0.0.35+cu128 needs cuda\n"
	       "wheel, 10.1 MB unpacked, 1 ELF file of 77   xformers-0.0.35-py39-…_28_x86_64.whl\n"
	       "\n"
	       "  cuda    needed      8.90 MB   sm_75 sm_80 sm_100, compute_80\n"
	       "          xformers/_C.so: 41 images (8.30 MB); needs libcudart.so.12\n"
	       "\n"
	       "every file was read   ·   'postern targets' says which code for which GPU\n");
}

static void what_was_not_read_comes_first_and_is_no_pass(void **state)
{
	make *const makers[] = {sample_folder};

	expect(plain, makers, 1,
	       "INCOMPLETE  site-packages carries cuda and rocm, as far as it was read\n"
	       "directory, 1.23 GB, 2 ELF files of 1,234\n"
	       "\n"
	       "  kernels/broken.so: section header table ends at 71234, file at 4096\n"
	       "\n"
	       "  rocm    carried     75.9 MB   gfx900 gfx906 gfx908 gfx90a gfx942 ... (9)\n"
	       "          not declared by its metadata\n"
	       "          kernels 1.0: 9 images (810 kB)\n"
	       "          kernels/data: 812 kernel files (75.0 MB) for gfx942\n"
	       "  cuda    carried     35.0 MB\n"
	       "          tools 2.0: ships ptxas\n"
	       "  opencl  mentioned\n"
	       "\n"
	       "odd, but nothing is lost by it: elf-inconsistent (1); -v says where\n"
	       "\n"
	       "exit status 3: this is not a pass\n");
}

static void an_image_names_layers_and_what_they_hide(void **state)
{
	make *const makers[] = {sample_image};

	expect(plain, makers, 1,
	       "INCOMPLETE  serve.tar carries cuda, as far as it was read\n"
	       "docker-archive, registry/a....4-rocm, linux/amd64, 3 layers, 2.70 GB, 1 ELF file\n"
	       "\n"
	       "  layer 2: the gzip stream ends early\n"
	       "  layer 0: opt/x.so: cut\n"
	       "\n"
	       "  cuda    carried      211 MB   sm_90\n"
	       "          bnb 2.0: 1 image (90.0 kB)\n"
	       "            layer 2: RUN pip install --upgrade --no-cache-dir --extra-index-u...\n"
	       "          211 MB more in layer 1, hidden by layer 2: bnb 1.0\n"
	       "\n"
	       "exit status 3: this is not a pass\n");
}

static void a_pure_wheel_has_no_elf_file(void **state)
{
	make *const makers[] = {sample_pure};

	expect(plain, makers, 1,
	       "nvidia-ml-py 13.615.71: no accelerator code, and no ELF file\n"
	       "wheel, 230 kB unpacked, 0 ELF files of 6   nvidia_ml_py-13.615....3-none-any.whl\n"
	       "\n"
	       "every file was read   -   nothing to do\n");
}

static void nothing_unread_is_called_free_of_code(void **state)
{
	make *const makers[] = {sample_pure, sample_refused};
	struct arena mem = ARENA_INIT;
	struct inventory inv = {0};
	struct outbuf out = outbuf_limited(1 << 20);

	sample_pure(&inv, &mem);
	inv.artifacts.v[0].complete = false;
	report_by_name(SPAN("text"))->write(&inv, NULL, &plain, &out);
	outbuf_char(&out, '\0');
	assert_non_null(strstr((const char *)out.p, "INCOMPLETE  nvidia-ml-py 13.615.71 was not read to its end; nothing"));
	assert_null(strstr((const char *)out.p, "no accelerator code"));
	assert_null(strstr((const char *)out.p, "every file was read"));
	outbuf_release(&out);
	arena_clear(&mem);
	expect(plain, makers + 1, 1,
	       "INCOMPLETE  photo.jpg was not scanned\n"
	       "\n"
	       "  neither ELF, nor a wheel, nor a folder\n"
	       "\n"
	       "exit status 3: this is not a pass\n");
}

static void verbose_cuts_nothing_and_sanitises_names(void **state)
{
	make *const makers[] = {sample_folder};
	struct report_options o = plain;
	struct arena mem = ARENA_INIT;
	struct outbuf out;

	o.verbose = true;
	out = render(o, makers, 1, &mem);
	assert_non_null(
	        strstr((const char *)out.p, "gfx900 gfx906 gfx908 gfx90a gfx942 gfx1030 gfx1100 gfx1101 gfx1200"));
	assert_non_null(strstr((const char *)out.p, "tools/\\x1b[2Jodd.so: two SONAME entries   elf-inconsistent"));
	assert_null(strchr((const char *)out.p, '\033'));
	outbuf_release(&out);
	arena_clear(&mem);
}

static void colour_marks_the_grade_and_says_nothing_alone(void **state)
{
	make *const makers[] = {sample_refused};
	struct report_options o = plain;
	struct arena mem = ARENA_INIT;
	struct outbuf out;

	o.colour = true;
	out = render(o, makers, 1, &mem);
	assert_true(span_starts(outbuf_span(&out), SPAN("\033[1;31mINCOMPLETE\033[0m  photo.jpg")));
	outbuf_release(&out);
	arena_clear(&mem);
}

static void targets_are_one_line_a_form_with_what_it_means(void **state)
{
	make *const makers[] = {sample_wheel};
	struct report_options o = plain;

	o.subject = REPORT_TARGETS;
	expect(o, makers, 1,
	       "xformers/_C.so   8.90 MB, 11 units in .nv_fatbin\n"
	       "  native    sm_75 sm_80 sm_100   30 images   CUDA 12.8\n"
	       "  portable  compute_80           11 images   PTX ISA 8.7\n"
	       "  stub      sm_75                 3 images   linked, but no kernel in it\n"
	       "  uneven: only 8 of 11 units have sm_75 (-v)\n"
	       "\n"
	       "every file was read   -   -v shows every row and its place\n");
	o.verbose = true;
	expect(o, makers, 1,
	       "xformers/_C.so   8.90 MB, 11 units in .nv_fatbin\n"
	       "  compute_80      portable          11 images    300 kB   fatbin in .nv_fatbin from 0x1000, lz4, PTX "
	       "ISA 8.7\n"
	       "  sm_100          native            11 images   4.00 MB   fatbin in .nv_fatbin from 0x1000, 33 "
	       "kernels, CUDA 12.8\n"
	       "  sm_75           native             8 images   2.00 MB   fatbin in .nv_fatbin from 0x1000, 24 "
	       "kernels, CUDA 12.8\n"
	       "  sm_75           stub               3 images   3.00 kB   fatbin in .nv_fatbin from 0x1000\n"
	       "  sm_80           native            11 images   2.00 MB   fatbin in .nv_fatbin from 0x1000, 33 "
	       "kernels, CUDA 12.8\n"
	       "  3 units: compute_80 sm_80 sm_100\n"
	       "  8 units: compute_80 sm_75 sm_80 sm_100\n"
	       "\n"
	       "every file was read   -   -f json has it all\n");
}

static void targets_of_what_was_not_read_are_no_pass(void **state)
{
	make *const makers[] = {sample_folder, sample_pure};
	struct report_options o = plain;

	o.subject = REPORT_TARGETS;
	expect(o, makers, 2,
	       "INCOMPLETE  site-packages was not read to its end\n"
	       "\n"
	       "  kernels/broken.so: section header table ends at 71234, file at 4096\n"
	       "\n"
	       "kernels/libk.so   900 kB in .hip_fatbin\n"
	       "  native  gfx900 gfx906 gfx908 gfx90a gfx942 gfx1030 ... (9)   9 images\n"
	       "\n"
	       "kernels/data   75.0 MB, 812 kernel files\n"
	       "  gfx942     812 files     75.0 MB\n"
	       "\n"
	       "nvidia-ml-py 13.615.71: no device code\n"
	       "\n"
	       "1 of 2 not read to the end; exit status 3: this is not a pass\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_wheel_is_called_by_package_and_version),
	        cmocka_unit_test(what_was_not_read_comes_first_and_is_no_pass),
	        cmocka_unit_test(an_image_names_layers_and_what_they_hide),
	        cmocka_unit_test(a_pure_wheel_has_no_elf_file),
	        cmocka_unit_test(nothing_unread_is_called_free_of_code),
	        cmocka_unit_test(verbose_cuts_nothing_and_sanitises_names),
	        cmocka_unit_test(colour_marks_the_grade_and_says_nothing_alone),
	        cmocka_unit_test(targets_of_what_was_not_read_are_no_pass),
	        cmocka_unit_test(targets_are_one_line_a_form_with_what_it_means),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
