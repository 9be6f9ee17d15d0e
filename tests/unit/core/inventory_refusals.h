/* SPDX-License-Identifier: Apache-2.0 */
/* The sample with one thing changed, and what is said of it then. */
#ifndef TESTS_INVENTORY_REFUSALS_H
#define TESTS_INVENTORY_REFUSALS_H

static const struct {
	const char *from, *to, *why;
} refusals[] = {
        {"inventory/1", "inventory/2", "at byte 10: 'schema' is 'postern-inventory/2', which is unknown"},
        {"inventory/1", "result/1", "which is unknown"},
        {"\"schema\":\"postern-inventory/1\",", "", "'schema' is missing"},
        {"\"name\":\"postern\"", "\"name\":\"syft\"", "tool: 'name' is 'syft', which is unknown"},
        {"\"elf-names\"", "\"elf-nemes\"", "artifacts[1]: incomplete[0]: at byte "},
        {"\"elf-names\"", "\"elf-nemes\"", "'limit' is 'elf-nemes', which is unknown"},
        {"\"elf-names\"", "\"\"", "'limit' is '', which is unknown"},
        {"\"scan-incomplete\"", "\"scan-fine\"", "'id' is 'scan-fine', which is unknown"},
        {"\"level\":\"needed\"", "\"level\":\"great\"", "artifacts[1]: summary: backends[0]: at byte "},
        {"\"level\":\"needed\"", "\"level\":3", "'level' is not text"},
        {"\"strength\":\"soft\"", "\"strength\":\"Soft\"", "objects[0]: evidence[0]: at byte "},
        {"\"form\":\"stub\"", "\"form\":\"stab\"", "'form' is 'stab', which is unknown"},
        {"\"endian\":\"big\"", "\"endian\":\"middle\"", "'endian' is 'middle', which is unknown"},
        {"\"class\":32", "\"class\":33", "'class' is neither 32 nor 64"},
        {"\"class\":32", "\"class\":288", "'class' is not a number that it may be"},
        {"\"abi\":4294967295", "\"abi\":4294967296", "'abi' is not a number that it may be"},
        {"9007199254740991", "9007199254740992", "'bytes' is not a number that it may be"},
        {"\"bytes\":123", "\"bytes\":-123", "'bytes' is not a number that it may be"},
        {"\"bytes\":123", "\"bytes\":1.5", "'bytes' is not a number that it may be"},
        {"\"bytes\":123", "\"bytes\":\"123\"", "'bytes' is not a number that it may be"},
        {"\"visible\":false", "\"visible\":0", "'visible' is not true or false"},
        {"\"name\":\"torch\"", "\"name\":null", "'name' is not text"},
        {"\"names\":[\"hipFree\",", "\"names\":[7,", "'names' is not text"},
        {"\"names\":[\"hipFree\",", "\"names\":[", "'count' is not 1"},
        {"\"tags\":[\"py3-none-any\"]", "\"tags\":\"py3-none-any\"", "no JSON list at byte "},
        {"\"targets\":[\"gfx90a\",\"gfx942\"]", "\"targets\":{}", "'targets' is not a list"},
        {"\"labels\":{", "\"labels\":[],\"x\":{", "'labels' is not an object"},
        {"\"index\":1", "\"index\":2", "layers[1]: at byte "},
        {"\"layer\":0,\"bytes\":0", "\"layer\":2,\"bytes\":0", "objects[1]: 'layer' is 2, and there are 2 layers"},
        {"\"layer\":0,\"bytes\":0", "\"bytes\":0", "objects[1]: 'layer' is missing"},
        {"\"layer\":1,\"limit\"", "\"layer\":4294967294,\"limit\"",
         "incomplete[0]: 'layer' is 4294967294, and there are 2 layers"},
        {"\"layer\":1,\"limit\"", "\"layer\":4294967295,\"limit\"", "'layer' is not the number of a layer"},
        {"\"layers\":[0,1]", "\"layers\":[0,2]", "backends[0]: 'layer' is 2, and there are 2 layers"},
        {"\"merge\":\"overlay\",", "", "'merge' is missing, and there is an image"},
        {"\"world\":\"closed\",\"complete\":false", "\"world\":\"closed\",\"complete\":true", "'complete' is true"},
        {"\"complete\":false", "\"complete\":true", "'complete' is true"},
        {"usr\\\\\\\\x", "usr\\\\x1", "'ambiguous' has a backslash that begins neither"},
        {"\"k\\\\x0a\"", "\"k\\\\x0A\"", "'labels' has a backslash that begins neither"},
        {"\"stores\":[]", "\"stores\":[],\"stores\":[]", "'stores' at byte "},
        {"\"path\":\"t/c\"", "\"path\":\"t/c\",\"path\":\"t/d\"", "is there twice"},
        {"\"applies\":false", "\"applies\":false,\"applies\":false", "has 'applies' twice"},
        {"\"evidence\":[],", "", "'evidence' is missing"},
        {"\"anomalies\":[],", "\"anomalies\":[nul],", "artifacts[0]: anomalies[0]: not JSON at byte "},
        {"\"anomalies\":[],", "\"anomalies\":[[]],", "anomalies[0]: at byte "},
};

#endif
