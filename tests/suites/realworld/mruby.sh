# mruby: an interpreter whose loop is one large routine.
title="mruby"
packages=mruby
needs="rake bison"

prepare() {
    cat >work.rb <<'EOR'
def fib(n) n < 2 ? n : fib(n - 1) + fib(n - 2) end
def sieve(n)
  marks = Array.new(n + 1, true)
  (2..n).each { |i| (i * i).step(n, i) { |j| marks[j] = false } if marks[i] && i * i <= n }
  (2..n).select { |i| marks[i] }.size
end
words = (0...200000).map { |i| "w#{i * 7919 % 10007}" }
count = {}
words.each { |w| count[w] = (count[w] || 0) + w.size }
puts fib(31), sieve(2000000), count.values.inject(0) { |a, b| a + b }, words.sort.uniq.size
EOR
}

build() {
    cp -a "$(source_of mruby)/." source
    cd source
    cat >build_config.rb <<EOC
MRuby::Build.new do |conf|
  toolchain :gcc
  conf.cc.command = %q($CC)
  conf.cc.flags = %q($CFLAGS).split
  conf.linker.command = %q($CC)
  conf.linker.flags = %q($LDFLAGS).split
  conf.gembox 'default'
end
EOC
    MRUBY_CONFIG=$PWD/build_config.rb rake -q
    cp build/host/bin/mruby ../program
    cd ..
    rm -rf source
}

run() { $launch "$program" "$prepared/work.rb"; }
