# The trap 43-tail-marks.sh where the stack is aligned, guarded or reached in another way, which changes what calls become jumps.
# ways: inline fentry
# opt: -O2
# need: objdump
ways=$CC
for flags in -mstackrealign -fstack-protector-strong -fstack-protector-all "-mavx2 -ftree-vectorize" -fPIC "-fPIC -fno-plt" -fno-omit-frame-pointer \
	-fcf-protection "-march=x86-64-v3 -funroll-loops"; do
	mkdir "at$flags" && cd "at$flags"
	CC="$ways $flags"
	case $flags in -mstackrealign|-fstack-protector-all) MAY_CALL=yes ;; *) MAY_CALL= ;; esac
	(. "$SOURCE/43-tail-marks.sh") || { echo "with $flags"; exit 1; }
	cd ..
done
