/* aprof-cyg.h - way cyg by GCC on x86-64: hooks for routines, not for what is inlined into them.
 *
 * The wrapper puts it in front of each source.  GCC calls these two for -finstrument-functions, before it inlines anything, and then inlines them.  Each leaves
 * a line in the assembly, a comment which says whose hook it is; where that is the routine that the line is in, the wrapper hands the assembler
 * the call in it (compile/assembly.c).  So an inlined routine costs nothing.
 *
 * The frame's address is asked for so that the frame is made before; the hooks read rbp.  They may run where values are kept in the red zone, so
 * this is compiled with -mno-red-zone.  Where GCC cannot inline (-O0, attribute target), it calls the hooks of all compilers, with the same names.
 *
 * With -fgnu-tm (APROF_TRANSACTIONS) it calls those everywhere: what may be called in a transaction is not inlined there. */
#ifdef APROF_TRANSACTIONS
#undef APROF_TRANSACTIONS
#pragma GCC system_header
#ifdef __cplusplus
extern "C" {
#endif
__attribute__((__transaction_pure__)) void *__builtin_return_address(unsigned);
__attribute__((__transaction_pure__, __no_instrument_function__)) void __cyg_profile_func_enter(void *, void *);
__attribute__((__transaction_pure__, __no_instrument_function__)) void __cyg_profile_func_exit(void *, void *);
#ifdef __cplusplus
}
#endif
#elif defined __OPTIMIZE__ && defined __x86_64__ && !defined __ASSEMBLER__
#pragma GCC system_header
#ifdef __cplusplus
extern "C" {
#endif

#define __APROF_HOOK __extension__ extern __inline __attribute__((__gnu_inline__, __no_instrument_function__, __noclone__))

__APROF_HOOK void __cyg_profile_func_enter(void *__routine, void *__site __attribute__((__unused__)))
{
	__asm__ __volatile__ ("#aprof\tcall\t*__aprof_enter@GOTPCREL(%%rip)\t#%p0" : : "X" (__routine), "r" (__builtin_frame_address(0))
			      : "rax", "r9", "r10", "r11", "cc", "memory");
}

__APROF_HOOK void __cyg_profile_func_exit(void *__routine, void *__site __attribute__((__unused__)))
{
	__asm__ __volatile__ ("#aprof\tcall\t*__aprof_leave@GOTPCREL(%%rip)\t#%p0" : : "X" (__routine), "r" (__builtin_frame_address(0))
			      : "r9", "r10", "r11", "cc", "memory");
}

#undef __APROF_HOOK
#ifdef __cplusplus
}
#endif
#endif
