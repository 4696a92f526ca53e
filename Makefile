# The front door: Meson and Ninja do the work.  make builds, and installs nothing; make deps installs what is missing on Debian, and those that set
# a fresh machine up ask for it: demo, check and what takes longer.
PREFIX ?= /usr/local
MINUTES ?= 20
WHICH ?= --all
# Headers for way inline's plugin, of the GCC that is installed by then (%: tests/deps); the other ways do without.
PLUGIN = try:gcc-%-plugin-dev
# Meson asks dpkg-dev in which folder libraries are.
PKGS = meson ninja-build pkg-config dpkg-dev python3 g++ libelf-dev libdw-dev libiberty-dev libcapstone-dev libcmocka-dev libjansson-dev libncurses-dev \
  zlib1g-dev liblzma-dev libzstd-dev libevent-dev libcurl4-openssl-dev libxxhash-dev libprotobuf-c-dev protobuf-c-compiler protobuf-compiler libgraphviz-dev $(PLUGIN)
PKGS_CHECK = $(PKGS) binutils clang libclang-rt-dev try:llvm-@-dev try:lld-@ try:flang-@ try:ldc mandoc groff-base jq try:binutils-gold cmake autoconf automake gfortran gdc gnat gdb valgrind tmux \
  graphviz golang-go libdevel-nytprof-perl zstd try:libpth-dev try:libst-dev try:libpcl1-dev chromium lua5.4 try:redis-server try:libjemalloc2 try:libtcmalloc-minimal4 try:libmimalloc2.0 try:debuginfod try:python3-dev try:libpython3.11-testsuite try:libpython3.13-testsuite try:python3-gevent python3-venv try:python3-pandas try:abigail-tools $(NODE)
# Other people's programs for tests/suites/ways: GCC's own tests, and a maker of random ones.
PKGS_WAYS = dpkg-dev csmith libcsmith-dev try:gcc-%-source gfortran gdc gnat try:gobjc++-% try:gccgo-%
# The page of aprof html needs npm when aprof is built; another npm than Debian's will do.
NODE = $(if $(shell command -v npm),,nodejs npm)
# Both MPIs, for tests/run/mpi_test.py.
PKGS_MPI = try:libopenmpi-dev try:openmpi-bin try:libmpich-dev try:mpich
# Profilers whose files tests/import/corpus_test.py has made anew.
PKGS_CORPUS = try:linux-perf try:google-perftools try:libgoogle-perftools-dev try:php-cli try:php-xdebug try:heaptrack
# A server for tests/push/store_test.py.
PKGS_STORE = try:clickhouse-server
# What the test suites of real projects are built with.
PKGS_SUITES = dpkg-dev make cmake tcl tcl-dev googletest libgtest-dev libgmock-dev libbenchmark-dev liblzf-dev zlib1g-dev perl
# The compilers that debian/control has a package of their plugin for.
COMPILERS = $(shell sed -n 's/^Package: \(.*\)-plugin-aprof/\1/p' debian/control)
# What Debian's packages are built with, beside what aprof is: the headers of each such compiler of this Debian.
PKGS_DEB = build-essential llvm-dev debhelper dh-python lintian python3-dev \
  $(patsubst gcc-%,try:gcc-%-plugin-dev,$(filter gcc-%,$(COMPILERS))) $(patsubst clang-%,try:llvm-%-dev,$(filter clang-%,$(COMPILERS)))
# Where they are installed and tried, too: these compilers, and what programs are built with.
PKGS_TRIED = $(addprefix try:,$(COMPILERS)) gfortran clang rustc cargo cmake ninja-build autoconf automake lua5.4
# What tests/public/projects builds.
PKGS_PROJECTS = dpkg-dev cmake libexpat1-dev
# What tests/realworld builds, asks and holds against.
PKGS_REALWORLD = dpkg-dev make cmake gfortran python3 bison rake m4 libgmp-dev libeigen3-dev libevent-dev liblzf-dev libgtest-dev libgmock-dev zlib1g-dev curl python3 flex perl try:linux-perf \
  libboost-fiber-dev rustc cargo lld try:mold default-jdk-headless
# What the tests' makers of profiles and the monitor's variants for tests are: Meson builds them for its own tests only.
MADE = src/contract/make-amon src/contract/make-runs src/inside/libaprof_tiny.a src/inside/libaprof_address.a src/inside/libaprof_thread.a
# One after another, also with -j: what is installed is there when it is looked for.
.NOTPARALLEL:
all: configured ; @ninja -C build
configured: ; @tests/missing && { [ -f build/build.ninja ] || { tests/missing --optional && meson setup build --prefix=$(PREFIX); }; }
deps: ; @tests/deps $(PKGS_CHECK)
needs: ; @tests/deps $(PKGS)
told: ; @echo "1. Builds aprof, what is not yet built: some minutes the first time."
made: all ; @ninja -C build $(MADE) >/dev/null
demo: needs told made ; @tests/demo build
check: deps all ; @tests/check build
# Everything; WHICH=--rest: only what check left out.
check-all: deps all ; @tests/deps $(PKGS_WAYS) $(PKGS_MPI) $(PKGS_STORE) $(PKGS_CORPUS) && tests/check build $(WHICH)
bench: deps made ; @tests/deps $(PKGS_STORE) $(PKGS_MPI) try:heaptrack && bench/all bench/records/results.md && bench/million && node bench/page.mjs && bench/scale build --results bench/records/scale.md
distributions: ; @tests/deps debootstrap git && tests/distributions $(DISTRIBUTIONS)
# The tarball of HEAD, with the page built in it: build/meson-dist/.
dist: packers configured ; @rm -rf build/meson-dist && ninja -C build src/show/page/page.html && meson dist -C build --no-tests --formats xztar
packers: ; @tests/deps $(PKGS) git xz-utils $(NODE)
deb: dist ; @tests/deps $(PKGS_DEB) $(if $(INSTALL),$(PKGS_TRIED)) && tests/package build $(INSTALL)
# Whether HEAD can be released; RELEASE=--quick: what takes seconds.
release-check: deps all ; @tests/release build $(RELEASE)
accuracy: deps all ; @bench/accuracy --results bench/records/accuracy.md && bench/accuracy --cc clang --variant cyg --programs micro-qsort,lua,sqlite --section clang --results bench/records/accuracy.md
time-truth: deps all ; @tests/time_truth/run --results bench/records/accuracy.md
suites: deps all ; @tests/deps $(PKGS_SUITES) && tests/suites/run $(SUITES)
projects: deps all ; @tests/deps $(PKGS_PROJECTS) && tests/public/projects build $(PROJECTS)
realworld: deps all ; @tests/deps $(PKGS_REALWORLD) && tests/realworld $(REALWORLD)
ways: deps all ; @tests/deps $(PKGS_WAYS) && tests/suites/ways $(WAYS)
soak: deps made ; @tests/soak build $(MINUTES)
fuzz: deps all ; @meson test -C build --suite fuzz --verbose
golden: made ; @tests/golden/golden --refresh build
install: all ; @meson configure build --prefix=$(PREFIX) && DESTDIR=$(DESTDIR) meson install -C build --quiet
clean: ; @rm -rf build
.PHONY: all configured deps needs told made demo check check-all distributions dist packers deb release-check bench accuracy time-truth suites projects realworld ways soak fuzz golden install clean
