# bash: a build script's day of words, arrays, functions and substitutions; 500 times it forks, and 200 of these execute something.
title="bash, 500 forks"
packages=bash

prepare() {
    cat >work.sh <<'EOF'
join() { local IFS=,; echo "$*"; }
object() { local path=$1; path=${path##*/}; path=${path%.c}; REPLY=${path//[-_]/.}.o; }
declare -A first
objects=() length=0 sums=
for ((i = 0; i < 6000; i++)); do
    object "lib/part_$((i % 41))/file-$((i * 11 % 1013))_y.c"
    [[ ${first[$REPLY]} ]] || { first[$REPLY]=$i; objects+=("$REPLY"); }
done
for ((i = 0; i < 300; i++)); do
    words=$(join "${objects[@]:i%900:20}")
    length=$((length + ${#words}))
done
while IFS=, read -r _ square _; do sums+=$square; done < <(for ((i = 0; i < 5000; i++)); do echo "$i,x$((i * i)),z"; done)
for ((i = 0; i < 100; i++)); do /bin/true | cat >/dev/null; done
echo ${#objects[@]} $length ${#sums}
EOF
}

build() {
    cp -a "$(source_of bash)/." source
    cd source
    ./configure --quiet --without-bash-malloc --disable-nls CC="$CC" CFLAGS="$CFLAGS" LDFLAGS="$LDFLAGS" CC_FOR_BUILD=cc CFLAGS_FOR_BUILD=-O
    make -j2 bash
    mv bash ../program
    cd ..
    rm -rf source
}

run() { exec $launch "$program" "$prepared/work.sh"; }
