# The thread's words are reached without a call: nothing refers to __tls_get_addr.
#
# ways: fentry
# opt: -O2
lib=$(dirname "$APROF")/src/inside
for file in "$lib/libaprof.a" "$lib/libaprof-monitor.so.1"; do
	test -e "$file"
	if nm "$file" 2> /dev/null | grep __tls_get_addr || nm -D "$file" 2> /dev/null | grep __tls_get_addr; then
		exit 1
	fi
done
