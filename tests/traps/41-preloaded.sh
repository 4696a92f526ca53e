# A program with hooks that a shell starts under `aprof run`, which preloads a monitor into what has no hooks: so there are two in the process, and both
# are to be told where a thread lands that ends. If one takes the other's place for libc's, the thread never ends.
#
# ways: inline fentry cyg
$CC $OPT -g -I"$SOURCE" -pthread "$SOURCE/02-thread-exit.c" -o p
(ulimit -t 60; exec "$APROF" run --no-report --data=data -- sh -c './p; exit $?')
"$APROF" contexts data | grep -v "^0 " | cut -d ' ' -f 1,2,4- | sort > found
sort <<-'END' | diff - found
	1 0 main
	20 0 thread
	20 0 thread deep
	10 0 thread deep leave
	10 0 thread deep wait
	20 0 thread cleanup
END
