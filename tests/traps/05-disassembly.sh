# No vector or x87 register is touched by code that a hook can reach; what the monitor needs of libc is little and
# known, and none of it on the way of a call.
#
# ways: fentry
# opt: -O2
lib=$(dirname "$APROF")/src/inside
objdump -d --no-show-raw-insn "$lib/libaprof.a" > code
grep -q '<__aprof_entry>:' code
prefixes='((data16|addr32|lock|rep[a-z]*|bnd|notrack|rex[.A-Za-z]*|[c-gs]s) )*'		# behind them the instruction: an address may read fadd, too
if grep -E "%([xyz]mm|mm[0-7]|st\b|st\()|:[[:space:]]+$prefixes(f(ld|st|add|mul|div|init|nstcw|xch)[a-z0-9]*|emms|fxsave|xsave)([[:space:]]|$)" code; then
	echo "vector or x87 code"
	exit 1
fi
for name in $(nm -u "$lib/libaprof.a" | awk '$1 == "U" || $1 == "w" {print $2}'); do
	case $name in
	_GLOBAL_OFFSET_TABLE_|_Unwind_GetCFA|_Unwind_GetGR|_Unwind_RaiseException|_Unwind_Resume|_Unwind_Resume_or_Rethrow|_Unwind_ForcedUnwind|__real__Unwind_SetIP|__real___longjmp_chk|__real___pthread_unwind_next|__real___pthread_register_cancel|__real___pthread_register_cancel_defer|__pthread_unregister_cancel|__real__longjmp|__real_longjmp|__real_pthread_exit|__real_setcontext|__real_siglongjmp|_r_debug|dl_iterate_phdr|__libc_stack_end|aprof_name_*|__start_aprof_text|__stop_aprof_text|__real_exit|__real_vfork|__real_swapcontext|makecontext|__errno_location|__libc_single_threaded) ;;
	pthread_key_create|pthread_setspecific|pthread_getspecific|pthread_atfork|__register_atfork|__dso_handle|_start|__real_dlclose|__real_unshare|__real_setns|__real_sigaction|__real_sigaltstack|__real_signal|__real_mlockall) ;;
	__real__exit|__real__Exit|__real_execve|__real_execv|__real_execvp|__real_execvpe|__real_fexecve|__real_pthread_create|__real_prctl) ;;
	__real__mco_switch|__real__photon_switch_context|__real__photon_switch_context_defer|__real_acosw|__real_bthread_jump_fcontext|__real_co_switch|__real_coctx_swap|__real_coro_transfer|__real_coroutine_transfer|__real_fiber_switchContext|__real_jump_fcontext|__real_marl_fiber_swap|__real_ontop_fcontext|__real_st_poll|__real_st_cond_timedwait|__real_st_mutex_lock|__real_st_thread_join|__real_st_usleep) ;;
	*) echo "asks for $name"; exit 1 ;;
	esac
done
