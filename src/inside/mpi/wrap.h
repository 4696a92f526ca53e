/* wrap.h - the functions that stand in front of MPI's: what wrappers.py writes is made of these macros.
 *
 * Where nobody profiles a wrapper jumps on to MPI's function, and has no frame of its own that a sampled stack would show.  Fortran's names have one wrapper
 * under all of a compiler's spellings, and one for module mpi_f08, whose functions Open MPI has apart; what MPICH has there in its stead calls C's. */
#ifndef MPI_WRAP_H
#define MPI_WRAP_H

#include "inside/mpi/mpi_calls.h"

#define PUBLIC __attribute__((visibility("default")))
#define APART static __attribute__((noinline))

/* N words: as parameters, as arguments, as elements of an array. */
#define PARAMETERS_1 word a0
#define PARAMETERS_2 PARAMETERS_1, word a1
#define PARAMETERS_3 PARAMETERS_2, word a2
#define PARAMETERS_4 PARAMETERS_3, word a3
#define PARAMETERS_5 PARAMETERS_4, word a4
#define PARAMETERS_6 PARAMETERS_5, word a5
#define PARAMETERS_7 PARAMETERS_6, word a6
#define PARAMETERS_8 PARAMETERS_7, word a7
#define PARAMETERS_9 PARAMETERS_8, word a8
#define PARAMETERS_10 PARAMETERS_9, word a9
#define PARAMETERS_11 PARAMETERS_10, word a10
#define PARAMETERS_12 PARAMETERS_11, word a11
#define PARAMETERS_13 PARAMETERS_12, word a12
#define PARAMETERS_14 PARAMETERS_13, word a13

#define ARGUMENTS_1 a0
#define ARGUMENTS_2 ARGUMENTS_1, a1
#define ARGUMENTS_3 ARGUMENTS_2, a2
#define ARGUMENTS_4 ARGUMENTS_3, a3
#define ARGUMENTS_5 ARGUMENTS_4, a4
#define ARGUMENTS_6 ARGUMENTS_5, a5
#define ARGUMENTS_7 ARGUMENTS_6, a6
#define ARGUMENTS_8 ARGUMENTS_7, a7
#define ARGUMENTS_9 ARGUMENTS_8, a8
#define ARGUMENTS_10 ARGUMENTS_9, a9
#define ARGUMENTS_11 ARGUMENTS_10, a10
#define ARGUMENTS_12 ARGUMENTS_11, a11
#define ARGUMENTS_13 ARGUMENTS_12, a12
#define ARGUMENTS_14 ARGUMENTS_13, a13

#define ELEMENTS_1 a[0]
#define ELEMENTS_2 ELEMENTS_1, a[1]
#define ELEMENTS_3 ELEMENTS_2, a[2]
#define ELEMENTS_4 ELEMENTS_3, a[3]
#define ELEMENTS_5 ELEMENTS_4, a[4]
#define ELEMENTS_6 ELEMENTS_5, a[5]
#define ELEMENTS_7 ELEMENTS_6, a[6]
#define ELEMENTS_8 ELEMENTS_7, a[7]
#define ELEMENTS_9 ELEMENTS_8, a[8]
#define ELEMENTS_10 ELEMENTS_9, a[9]
#define ELEMENTS_11 ELEMENTS_10, a[10]
#define ELEMENTS_12 ELEMENTS_11, a[11]
#define ELEMENTS_13 ELEMENTS_12, a[12]
#define ELEMENTS_14 ELEMENTS_13, a[13]

/* The real FUNCTION of N words as REAL, found once. */
#define FIND(real, function, n) \
	static int (*found)(PARAMETERS_##n); \
	int (*real)(PARAMETERS_##n) = __atomic_load_n(&found, __ATOMIC_RELAXED); \
	\
	if (__builtin_expect(!real, 0)) { \
		*(void **)&real = real_function(#function, (void *)function, __builtin_return_address(0)); \
		__atomic_store_n(&found, real, __ATOMIC_RELAXED); \
	}

/* The C function MPI_NAME, routine INDEX, of N arguments. */
#define C(index, name, n) \
	APART int told_##name(int (*real)(PARAMETERS_##n), PARAMETERS_##n) \
	{ \
		word a[] = { ARGUMENTS_##n }; \
		struct mpi_call t; \
		int result; \
	\
		mpi_call_begin(&t, index, a, false, __builtin_frame_address(0)); \
		result = real(ELEMENTS_##n); \
		mpi_call_end(&t, a, &result); \
		return result; \
	} \
	\
	PUBLIC int MPI_##name(PARAMETERS_##n); \
	int MPI_##name(PARAMETERS_##n) \
	{ \
		FIND(real, MPI_##name, n) \
		return mpi_calls_is_on() ? told_##name(real, ARGUMENTS_##n) : real(ARGUMENTS_##n); \
	}

/* Fortran's FUNCTION of N words, that at ERROR the address of the error's number. */
#define FORTRAN_FUNCTION(index, function, n, error) \
	APART int told_##function(int (*real)(PARAMETERS_##n), PARAMETERS_##n) \
	{ \
		word a[] = { ARGUMENTS_##n }; \
		struct mpi_call t; \
	\
		mpi_call_begin(&t, index, a, true, __builtin_frame_address(0)); \
		real(ELEMENTS_##n); \
		mpi_call_end(&t, a, (const int *)a[error]); \
		return 0; \
	} \
	\
	PUBLIC int function(PARAMETERS_##n); \
	int function(PARAMETERS_##n) \
	{ \
		FIND(real, function, n) \
		return mpi_calls_is_on() ? told_##function(real, ARGUMENTS_##n) : real(ARGUMENTS_##n); \
	}

#define SPELLING(spelling, function, n) PUBLIC int spelling(PARAMETERS_##n) __attribute__((alias(#function)));

#define FORTRAN(index, lower, upper, n, error) \
	FORTRAN_FUNCTION(index, mpi_##lower##_, n, error) \
	SPELLING(mpi_##lower, mpi_##lower##_, n) \
	SPELLING(mpi_##lower##__, mpi_##lower##_, n) \
	SPELLING(MPI_##upper, mpi_##lower##_, n) \
	FORTRAN_FUNCTION(index, mpi_##lower##_f08_, n, error)

#endif
