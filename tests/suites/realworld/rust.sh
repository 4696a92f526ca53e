# A program of Rust's, by its compiler and linked by lld: rust.rs. It has no hooks.
title="Rust, linked by lld"
needs="rustc ld.lld:lld"
sampled=yes

build() { rustc -C opt-level=2 -g -C linker=cc -C link-arg=-fuse-ld=lld -o program "${recipe%.sh}.rs"; }

run() { $launch "$program"; }
