# nettle: assembly in the program's own library, of which debug information says nothing.
title="nettle"
packages=nettle
needs="m4 gmp.h:libgmp-dev"

prepare() {
    cat >work.c <<'EOC'
#include <nettle/aes.h>
#include <nettle/cbc.h>
#include <nettle/chacha.h>
#include <nettle/md5.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <string.h>
static uint8_t room[1 << 16];
static void hash(int n) { struct sha256_ctx h; struct md5_ctx m; uint8_t d[32]; sha256_init(&h); md5_init(&m); while (n--) { sha256_update(&h, sizeof room, room); md5_update(&m, sizeof room, room); } sha256_digest(&h, 32, d); memcpy(room, d, 32); md5_digest(&m, 16, d); memcpy(room + 32, d, 16); }
static void cipher(int n) { struct CBC_CTX(struct aes128_ctx, AES_BLOCK_SIZE) a = { .iv = { 1 } }; aes128_set_encrypt_key(&a.ctx, room); while (n--) CBC_ENCRYPT(&a, aes128_encrypt, sizeof room, room, room); }
static void stream(int n) { struct chacha_ctx c; chacha_set_key(&c, room); chacha_set_nonce(&c, room + 32); while (n--) chacha_crypt(&c, sizeof room, room, room); }
int main(void) { for (int i = 0; i < 40; i++) { hash(40); cipher(40); stream(120); } for (int i = 0; i < 16; i++) printf("%02x", room[i]); puts(""); return 0; }
EOC
}

build() {
    cp -a "$(source_of nettle)/." source
    cd source
    ./configure --quiet --disable-documentation --disable-public-key --disable-shared --enable-fat=no --disable-x86-aesni --disable-x86-sha-ni CC="$CC" CFLAGS="$CFLAGS" LDFLAGS="$LDFLAGS"
    make -j2 libnettle.a
    ln -s . nettle
    # shellcheck disable=SC2086
    $CC $CFLAGS -I. -o ../program "$prepared/work.c" libnettle.a $LDFLAGS
    cd ..
    rm -rf source
}

run() { $launch "$program"; }
