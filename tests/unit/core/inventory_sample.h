/* SPDX-License-Identifier: Apache-2.0 */
/* An inventory written by hand as inventory.md has it, with every member that is written today. */
#ifndef TESTS_INVENTORY_SAMPLE_H
#define TESTS_INVENTORY_SAMPLE_H

#define SAMPLE_HEAD                                                                                                    \
	"{\"schema\":\"postern-inventory/"                                                                             \
	"1\",\"tool\":{\"name\":\"postern\",\"version\":\"0.0.7\",\"rules\":\"2026.11\"},\"artifacts\":["

#define SAMPLE_FILE                                                                                                    \
	"{\"name\":\"photo.jpg\",\"complete\":false,\"incomplete\":[{\"id\":\"object-unreadable\",\"reason\":"         \
	"\"neither ELF, nor a wheel\"}],"                                                                              \
	"\"anomalies\":[],\"packages\":[],\"objects\":[],\"stores\":[],\"summary\":{\"files\":0,\"elf\":0,\"bytes\":"  \
	"0,\"backends\":[]}}"

#define SAMPLE_SAID                                                                                                    \
	"{\"name\":\"serve.tar\",\"kind\":\"docker-archive\",\"reference\":\"registry/"                                \
	"app:1.4\",\"image_id\":\"sha256:aa\","                                                                        \
	"\"manifest_digest\":\"sha256:bb\",\"file_digest\":\"sha256:cc\",\"platform\":\"linux/"                        \
	"amd64\",\"world\":\"closed\",\"complete\":false,"                                                             \
	"\"incomplete\":[{\"id\":\"scan-incomplete\",\"path\":\"opt/"                                                  \
	"\\\\xffx.so\",\"layer\":1,\"limit\":\"elf-names\",\"reason\":\"too many\"}],"                                 \
	"\"anomalies\":[{\"id\":\"archive-malformed\",\"reason\":\"zeros\"}],"                                         \
	"\"merge\":\"overlay\",\"ambiguous\":[\"lib\",\"usr\\\\\\\\x\"],\"config\":{\"env\":[\"LD_LIBRARY_PATH=/"      \
	"a\"],\"entrypoint\":[\"sh\",\"\"],"                                                                           \
	"\"labels\":{\"k\\\\x0a\":\"v\\\"\xc3\xa9\"}},\"layers\":["                                                    \
	"{\"index\":0,\"digest\":\"sha256:11\",\"diff_id\":\"sha256:22\",\"verified\":true,\"compression\":\"gzip\","  \
	"\"bytes\":1000,"                                                                                              \
	"\"unpacked\":3000,\"created_by\":\"RUN x\",\"step\":7},"                                                      \
	"{\"index\":1,\"verified\":false,\"bytes\":9007199254740991,\"unpacked\":0}],"

#define SAMPLE_PACKAGES                                                                                                \
	"\"packages\":[{\"id\":\"pypi:torch@2.9.0+rocm6.4\",\"ecosystem\":\"pypi\",\"name\":\"torch\",\"version\":"    \
	"\"2.9.0+rocm6.4\","                                                                                           \
	"\"purl\":\"pkg:pypi/torch@2.9.0%2Brocm6.4\",\"path\":\"t/"                                                    \
	"torch.dist-info\",\"layer\":1,\"visible\":true,\"bytes\":123,"                                                \
	"\"record\":{\"missing\":[\"m\"],\"unlisted\":[\"u\"],\"size_differs\":[\"s\"],\"hash_differs\":[]},\"tags\":" \
	"[\"py3-none-any\"],"                                                                                          \
	"\"purelib\":false,\"variant\":\"cu128\",\"declares\":["                                                       \
	"{\"backend\":\"rocm\",\"by\":\"local-version\",\"value\":\"+rocm6.4\",\"applies\":true}],\"requires\":["      \
	"{\"name\":\"triton\",\"spec\":\"==3.5.0; platform_system == "                                                 \
	"\\\"Linux\\\"\",\"applies\":false},{\"name\":\"numpy\",\"spec\":\"\"}]}],"

#define SAMPLE_OBJECTS                                                                                                 \
	"\"objects\":[{\"path\":\"t/a.so\",\"layer\":1,\"bytes\":5,\"visible\":false,\"hidden_by\":3,\"links\":[\"t/" \
	"b.so\"],\"type\":\"elf\",\"content_bytes\":6,"                                                                \
	"\"package\":\"pypi:torch@2.9.0+rocm6.4\",\"build_id\":\"00ff\",\"elf\":{\"class\":32,\"endian\":\"big\","     \
	"\"machine\":\"ppc\","                                                                                         \
	"\"type\":\"dyn\",\"soname\":\"a\",\"interpreter\":\"i\",\"needed\":[\"n\"],\"rpath\":\"r\",\"runpath\":\"\"," \
	"\"verneed\":[\"v:1\"],"                                                                                       \
	"\"verdef_base\":\"b\",\"verdef\":[\"d\"]},\"faults\":[\"odd\"],\"evidence\":["                                \
	"{\"backend\":\"rocm\",\"kind\":\"symbol\",\"value\":\"hip-runtime\",\"strength\":\"soft\",\"confidence\":"    \
	"\"medium\",\"count\":2,"                                                                                      \
	"\"names\":[\"hipFree\",\"hipMalloc\"],\"offset\":0}],\"units\":57,\"unit_sets\":[{\"count\":57,\"targets\":[" \
	"\"gfx90a\",\"gfx942\"]}],"                                                                                    \
	"\"device_code\":[{\"backend\":\"rocm\",\"target\":\"gfx942\",\"form\":\"stub\",\"container\":\"ccob\","       \
	"\"where\":\".hip_fatbin\","                                                                                   \
	"\"codec\":\"zstd\",\"count\":1,\"bytes\":2,\"offset\":3,\"declared\":\"gfx90a\",\"mismatch\":true,\"isa\":"   \
	"\"8.7\",\"abi\":4294967295,"                                                                                  \
	"\"toolkit\":\"13.0\",\"kernels\":0}]},"                                                                       \
	"{\"path\":\"t/"                                                                                               \
	"c\",\"layer\":0,\"bytes\":0,\"visible\":true,\"type\":\"other\",\"evidence\":[],\"device_code\":["            \
	"{\"backend\":\"cuda\",\"target\":\"sm_90\",\"form\":\"native\",\"container\":\"cubin\",\"where\":\"@file\","  \
	"\"count\":1,\"bytes\":2,"                                                                                     \
	"\"offset\":3}]}],"

#define SAMPLE_REST                                                                                                    \
	"\"stores\":[{\"path\":\"t/"                                                                                   \
	"k\",\"kind\":\"kernel-files\",\"backend\":\"rocm\",\"layer\":0,\"visible\":false,\"hidden_by\":2,"              \
	"\"package\":\"pypi:torch@2\","                                                                              \
	"\"files\":40,\"bytes\":41,\"targets\":[{\"target\":\"gfx90a\",\"files\":42,\"bytes\":43}]}],"                 \
	"\"summary\":{\"files\":50,\"elf\":51,\"bytes\":52,\"shared\":53,\"backends\":["                               \
	"{\"backend\":\"rocm\",\"level\":\"needed\",\"undeclared\":true,\"objects\":60,\"packages\":[\"pypi:torch@2."  \
	"9.0+rocm6.4\"],"                                                                                              \
	"\"layers\":[0,1],\"bytes\":{\"device_code\":61,\"carried\":62,\"lower_layers\":63},\"targets\":["             \
	"{\"target\":\"gfx942\",\"form\":\"stub\",\"objects\":70,\"count\":71,\"bytes\":72}]}]}}"

static const char sample_inventory[] =
        SAMPLE_HEAD SAMPLE_FILE "," SAMPLE_SAID SAMPLE_PACKAGES SAMPLE_OBJECTS SAMPLE_REST "]}\n";

#endif
