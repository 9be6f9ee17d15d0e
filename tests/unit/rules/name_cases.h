/* SPDX-License-Identifier: Apache-2.0 */
/* Names for test_data.c, from the vendors' headers, libraries and packages, and from ordinary software. */
#ifndef TESTS_RULES_NAME_CASES_H
#define TESTS_RULES_NAME_CASES_H

#include "model/catalogue.h"

struct name_case {
	const char *name, *is, *backend;
};

static const struct name_case family_names[] = {
#define FAMILY(...) {__VA_ARGS__},
#include "rules/family_cases.def"
#undef FAMILY
};

static const char *const other_symbols[] = {
	/* cURL, terminals, LAPACK, POSIX access lists and other neighbours of the prefixes. */
	"curl_easy_init", "curl_", "cursor_", "custom", "cube_", "cunbdb1_", "cuserid", "curs_set", "cu", "cud",
	"cuda", "cuda_init", "cudaX_y", "cublas", "cudnn", "CuAssertTrue", "_cuInit", "acl_get_file", "acl_free",
	"acl_set_fd", "syntax", "sync", "synth", "syn_init", "synopsis", "clock", "clearenv", "clone", "close",
	"clang_createIndex", "clSetup_", "clnt_create", "hiphop", "hip_x", "hipster", "hsa", "hsearch", "zend_parse",
	"zError", "zero", "ze_", "vkprintf", "nrt", "nrtInit", "nvme_open", "nvlist_alloc", "nvram_read",
	"ncurses_init", "nccl", "ncclx", "nppx", "optind", "optiX", "roctet", "rocksdb_open", "rocm", "musl",
	"mu_init", "muntrace", "musician", "muInit", "mcheck", "mcount", "mc_init", "topsail", "cnd_wait", "cnv_x",
	"cnrt", "Qnn", "TpuX", "GetPjrtApi", "urandom", "url_open", "xpu", "xpu_x", "remote_handle", "getPlugin",
	"createInfer", "getInferLib", "_ZN3c104CUDAEv", "_ZN3c106detail3fooEv", "_ZNSt6vectorIiE4sizeEv",
	"_ZN4sycl3fooEv", "_Z", "__hip", "__cuda", "__cudart", "__cxa_finalize", "__gmon_start__", "miopen",
	"miopen_x", "amd_comgr", "rsmi", "hcclx", "createInferRuntime",
};

struct library_case {
	const char *name, *backend, *version;
	bool weak;
	enum library_home home;
};

static const struct library_case library_names[] = {
#define LIBRARY(...) {__VA_ARGS__},
#include "rules/library_cases.def"
#undef LIBRARY
};

/* Libraries, drivers' neighbours and tools of images without an accelerator. */
static const char *const other_files[] = {
	"libc.so.6", "libcurl.so.4", "libcups.so.2", "libcue.so.2", "libcurses.so", "libnvme.so.1",
	"libncurses.so.6", "libixml.so.10", "libraft.so.2", "libcal.so.0", "libgraph.so", "libvpl.so.2",
	"libmfx.so.1", "libumf.so.0", "libdrm_amdgpu.so.1", "libigdgmm.so.12", "libGL.so.1", "libEGL.so.1",
	"libGLESv2.so.2", "libGLX.so.0", "libdnnl.so.3", "libmagma.so", "libnvidia-container.so.1",
	"libnvidia-container-go.so.1", "libnvidia-egl-wayland.so.1", "libsynapse.so", "libtorch.so",
	"libtorch_cpu.so", "libc10.so", "libonnxruntime.so.1", "libstub_cuda.so", "libsvml.so", "libimf.so",
	"libintlc.so.5", "libdali2-core.so.1", "libhipblas_stub.txt", "libcuda.so.py", "libcudart.so.12.txt",
	"libcudart_static.a", "libomptarget.rtl.cuda.so.14", "ld.lld", "clang-offload-bundler",
	"clang-linker-wrapper", "atc", "ncu", "nvidia", "nvidia-ctk", "nvidia-container-runtime", "ptxas.py",
	"clang", "opencl-aot", "libOpenMMCUDA.so", "libmpi.so.40", "librocksdb.so.7", "libzeitgeist-2.0.so.0",
	"libtops.so",
};

static const char *const driver_files[] = {
	"libcuda.so", "libcuda.so.1", "libcuda.so.1.1", "libcuda.so.535.54.03", "libcuda.so.580.65.06",
	"libnvidia-ml.so.1", "libnvidia-ml.so.535.54.03", "libnvidia-ptxjitcompiler.so.580.65.06",
	"libnvidia-nvvm.so.4", "libcudadebugger.so.1", "libnvidia-eglcore.so.535.54.03", "libGLX_nvidia.so.0",
	"libvdpau_nvidia.so.1", "libnvoptix.so.1", "nvidia-smi", "nvidia-persistenced", "nvidia-cuda-mps-server",
	"nv-fabricmanager", "gsp_ga10x.bin", "nvidia_drv.so", "npu-smi",
};

static const char *const tool_names[] = {
	"ptxas",     "ptxas-blackwell", "cuobjdump",       "nvdisasm", "nvlink",   "fatbinary", "nvcc",     "cicc",
	"cudafe++",  "nvprune",         "libdevice.10.bc", "cuda-gdb", "nsys",     "nvprof",    "tileiras", "hipcc",
	"hipconfig", "amdclang",        "roc-obj-ls",      "rocminfo", "rocm-smi", "amd-smi",   "ocml.bc",  "ockl.bc",
	"icpx",      "ocloc",           "neuronx-cc",      "trtexec",
};

struct claim_case {
	const char *by, *text, *backend; /* backend "": no claim */
};

static const struct claim_case claim_cases[] = {
#define CLAIM(...) {__VA_ARGS__},
#include "rules/claim_cases.def"
#undef CLAIM
};

struct backend_case {
	const char *symbol, *version_library, *needed, *backend;
	bool sure;
};

static const struct backend_case backend_cases[] = {
	{"ncclAllReduce", "", "", "cuda", false},
	{"ncclAllReduce", "", "libnccl.so.2", "cuda", true},
	{"ncclAllReduce", "", "librccl.so.1", "rocm", true},
	{"ncclAllReduce", "", "librccl.so", "rocm", true},
	{"_ZN3c104cuda3getEv", "", "libc10_cuda.so", "cuda", true},
	{"_ZN3c104cuda3getEv", "", "libc10_hip.so", "rocm", true},
	{"_ZN3c104cuda3getEv", "", "libtorch_hip.so", "rocm", true},
	{"_ZN3c104cuda3getEv", "", "libtorch.so", "cuda", false},
	{"cudaMalloc", "libcudart.so.13", "", "cuda", true},
	{"cudaMalloc", "", "libruntime_cu.so", "metax", true},
	{"cudaMalloc", "", "", "cuda", false},
	{"hipMalloc", "libamdhip64.so.6", "", "rocm", true},
	{"hipMalloc", "", "libgalaxyhip.so.5", "hygon", true},
	/* Calls HIP and leaves the runtime to one of its libraries. */
	{"hipMalloc", "", "libhipblas.so.3", "rocm", true},
	{"cuOptCreateProblem", "", "libc.so.6", "", false},
	{"cuOptCreateProblem", "", "libcuda.so.1", "cuda", true},
	{"mcMalloc", "", "", "", false},
	{"mcMalloc", "", "libmcruntime.so", "metax", true},
	{"getPluginRegistry", "", "libnvinfer.so.10", "cuda", true},
};

#endif
