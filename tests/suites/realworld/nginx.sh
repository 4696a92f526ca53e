# nginx with two workers, asked by curl over twenty connections at once, each of which waits for its answer: files, pages that it puts
# together of them, lists of them, packed ones, and what it asks of itself as a proxy.
title="nginx"
packages=nginx
needs="zlib.h:zlib1g-dev curl"

# The pages are all as old: lists tell it.
prepare() {
    mkdir -p pages/files
    for i in $(seq 100); do seq $((i * 37)) >"pages/files/$i.txt"; done
    for i in $(seq 10); do seq "$i" $((i + 20)) | sed 's|.*|<p>&: <!--#include virtual="/files/&.txt" -->|' >"pages/$i.html"; done
    find pages -exec touch -d @1000000000 {} +
    cat >settings <<END
daemon off;
worker_processes 2;
user root root;
pid pid;
events { worker_connections 256; }
http {
    access_log log;
    keepalive_requests 1000000;
    upstream itself { server unix:socket; keepalive 16; }
    server {
        listen unix:socket;
        root $prepared/pages;
        location / { ssi on; }
        location /files/ { autoindex on; }
        location /packed/ { alias $prepared/pages/files/; gzip on; gzip_types text/plain; }
        location /again/ { proxy_pass http://itself/; proxy_http_version 1.1; proxy_set_header Connection ""; }
    }
}
END
}

build() {
    cp -a "$(source_of nginx)/." source
    (cd source && ./configure --with-cc="$CC" --with-cc-opt="$CFLAGS" --with-ld-opt="$LDFLAGS" --without-http_rewrite_module)
    make -C source -f objs/Makefile -j2 binary
    mv source/objs/nginx program
}

# Some answers by their checksums, then many by status and size.
run() {
    $launch "$program" -p "$PWD/" -e errors -c "$prepared/settings" &
    until [ -S socket ] && [ -s pid ]; do sleep 0.05; done
    for page in files/7.txt 3.html files/ packed/100.txt again/10.html nowhere; do
        curl --silent --unix-socket ./socket "http://nginx/$page" | cksum
    done
    for pages in 'files/[1-100].txt?[1-300]' '[1-10].html?[1-200]' 'files/?[1-2000]' 'packed/[1-100].txt?[1-20]' 'again/files/[1-100].txt?[1-100]'; do
        curl --no-progress-meter --unix-socket ./socket --parallel --parallel-max 20 --header 'Accept-Encoding: gzip' --output /dev/null \
            --write-out '%{http_code} %{size_download} %{url_effective}\n' "http://nginx/$pages" | sort | cksum
    done
    kill "$(cat pid)"
    wait $!
}
