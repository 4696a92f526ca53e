# ripgrep by cargo, with Debian's sources of it and of its crates, and the rustc in PATH: searches by one thread and by several.
title="ripgrep, by cargo"
packages=rust-ripgrep
needs="cargo rustc"

# The crates that it is built of, in a folder such as cargo takes in the place of a network, but for packages that stand for a feature, which are empty (a name with
# a plus); and a text.
prepare() {
    wanted=$(sed -n '/^Build-Depends/,/^[A-Z]/p' "$(source_of rust-ripgrep)/debian/control" | grep -o 'librust-[a-z0-9.+~-]*-dev' | sort -u)
    # shellcheck disable=SC2086
    crates=$(apt-get -qq -s -o Dir::State::Status=/dev/null install --no-install-recommends $wanted | sed -n 's/^Inst \(librust-[^ +]*\) .*/\1/p')
    mkdir registry
    for crate in $crates; do
        cp -a "$("$bench/fetch" "deb:$crate")/usr/share/cargo/registry/." registry
    done
    find registry -name '*.rs' -size -400k | LC_ALL=C sort | xargs cat >one
    for i in 1 2 3 4 5 6; do
        mkdir -p "text/$i"
        split --lines=20000 --additional-suffix=.rs one "text/$i/"
    done
    rm one
}

# Rust has hooks by way inline alone.
build() {
    # shellcheck disable=SC2046,SC2086
    case "$CC $CFLAGS" in
    *--aprof-way=inline\ *) set -- "${CC%%/aprof-cc*}/aprof" cargo $(printf '%s\n' $CFLAGS | grep '^--aprof-') ;;
    *--aprof-way=* | *-finstrument* | *-pg* | *--coverage* | *-profile-context*) echo "not by rustc: $CC $CFLAGS" >&2; exit 1 ;;
    *) set -- cargo ;;
    esac
    cp -a "$(source_of rust-ripgrep)/." source
    cd source
    rm -f Cargo.lock
    sed -i '/^simd-accel/d' Cargo.toml      # a feature of another crate's that Debian's has not
    mkdir -p .cargo
    cat >.cargo/config.toml <<EOF
[source.crates-io]
replace-with = "debian"
[source.debian]
directory = "$prepared/registry"
[profile.release]
debug = 1
EOF
    RUSTFLAGS="-C symbol-mangling-version=v0" CARGO_HOME=$PWD/home "$@" build --release --offline -j2 --target-dir=../target
    cd ..
    mv "$(find target -path '*/release/rg')" program
    rm -rf source target
}

run() {
    $launch "$program" --no-config -j1 --sort path --no-heading --count '[a-z_]+\([a-z]+: &(mut )?[A-Z]' "$prepared/text"
    $launch "$program" --no-config -j1 --sort path -i --no-filename --only-matching '\b(unsafe|panic|unwrap|clone|collect)\w*' "$prepared/text" >words
    $launch "$program" --no-config -j4 --count '(?i)error.*(kind|source)' "$prepared/text" >counts
}

output() {
    cat stdout
    sort words | uniq -c
    sort counts
}
