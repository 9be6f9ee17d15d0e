/* SPDX-License-Identifier: Apache-2.0 */
/* Names of machines and types as GNU tools spell them. */
#include <elf.h>

#include "elf/host.h"

static const struct {
	uint16_t number;
	const char *name;
} machines[] = {
        {EM_SPARC, "sparc"},
        {EM_386, "i386"},
        {EM_68K, "m68k"},
        {EM_MIPS, "mips"},
        {EM_PARISC, "hppa"},
        {EM_SPARC32PLUS, "sparc"},
        {EM_PPC, "ppc"},
        {EM_PPC64, "ppc64"},
        {EM_S390, "s390"},
        {EM_ARM, "arm"},
        {EM_SH, "sh"},
        {EM_SPARCV9, "sparc"},
        {EM_IA_64, "ia64"},
        {EM_X86_64, "x86_64"},
        {EM_AVR, "avr"},
        {EM_OPENRISC, "or1k"},
        {EM_ARC_COMPACT, "arc"},
        {EM_XTENSA, "xtensa"},
        {EM_MSP430, "msp430"},
        {EM_ALTERA_NIOS2, "nios2"},
        {EM_QDSP6, "hexagon"},
        {EM_AARCH64, "aarch64"},
        {EM_MICROBLAZE, "microblaze"},
        {EM_CUDA, "cuda"},
        {195, "arc"},
        {EM_AMDGPU, "amdgpu"},
        {EM_RISCV, "riscv"},
        {EM_BPF, "bpf"},
        {EM_CSKY, "csky"},
        {EM_LOONGARCH, "loongarch"},
        {0x9026, "alpha"},
};

struct span machine_name(struct arena *mem, uint16_t machine)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (machines[i].number == machine)
			return span_of(machines[i].name);
	return arena_printf(mem, "em_%u", machine);
}

struct span elf_type_name(struct arena *mem, uint16_t type)
{
	static const char *const names[] = {"none", "rel", "exec", "dyn", "core"};

	return type < sizeof(names) / sizeof(names[0]) ? span_of(names[type]) : arena_printf(mem, "0x%x", type);
}
