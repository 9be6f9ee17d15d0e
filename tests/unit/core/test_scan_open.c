/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "scan/parts.h"

static char folder[] = "/tmp/postern-open-XXXXXX";

static int setup(void **state)
{
	(void)state;
	return mkdtemp(folder) && chdir(folder) == 0 && mkfifo("pipe", 0600) == 0 ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	unlink("pipe");
	return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

static void assert_message(const char *name, const char *text)
{
	struct err e = ERR_INIT;
	bool is_folder;
	uint64_t size;
	int fd = -1;

	assert_int_equal(artifact_open(name, &fd, &is_folder, &size, &e), -1);
	assert_int_equal(fd, -1);
	assert_string_equal(e.text, text);
}

static void what_is_not_there_is_named(void **state)
{
	(void)state;
	assert_message("x.whl", "cannot open 'x.whl': No such file or directory");
	assert_message("dist/x.whl", "cannot open 'dist/x.whl': No such file or directory");
	assert_message("./app:1", "cannot open './app:1': No such file or directory");
	assert_message("", "cannot open '': No such file or directory");
}

static void what_could_act_when_opened_is_not(void **state)
{
	(void)state;
	assert_message("pipe", "cannot scan 'pipe': it is a pipe, neither a file nor a folder");
	assert_message("/dev/null", "cannot scan '/dev/null': it is a device, neither a file nor a folder");
}

static void references_of_registries_get_the_line_that_helps(void **state)
{
	(void)state;
	assert_message("nvcr.io/nvidia/pytorch:25.01-py3",
	               "cannot open 'nvcr.io/nvidia/pytorch:25.01-py3': No such file or directory; if it is an image "
	               "in a registry, "
	               "'skopeo copy docker://nvcr.io/nvidia/pytorch:25.01-py3 oci:pytorch' makes a folder of it");
	assert_message("app:1.4", "cannot open 'app:1.4': No such file or directory; if it is an image in a registry, "
	                          "'skopeo copy docker://app:1.4 oci:app' makes a folder of it");
	assert_message("docker://quay.io/a/b",
	               "cannot open 'docker://quay.io/a/b': No such file or directory; if it is an image "
	               "in a registry, 'skopeo copy docker://quay.io/a/b oci:b' makes a folder of it");
	assert_message("localhost/a@sha256:00",
	               "cannot open 'localhost/a@sha256:00': No such file or directory; if it is an image in a "
	               "registry, 'skopeo copy docker://localhost/a@sha256:00 oci:a' makes a folder of it");
}

static void folders_and_files_are_told_apart(void **state)
{
	struct err e = ERR_INIT;
	bool is_folder = false;
	uint64_t size;
	int fd = -1;

	(void)state;
	assert_int_equal(artifact_open(".", &fd, &is_folder, &size, &e), 0);
	assert_true(is_folder && fd >= 0);
	close(fd);
	assert_int_equal(artifact_open("/proc/self/exe", &fd, &is_folder, &size, &e), 0);
	assert_true(!is_folder && size > 0);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(what_is_not_there_is_named),
	        cmocka_unit_test(what_could_act_when_opened_is_not),
	        cmocka_unit_test(references_of_registries_get_the_line_that_helps),
	        cmocka_unit_test(folders_and_files_are_told_apart),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
