# Fibers by Boost's shared libraries: fibers.cc.
title="Boost.Fiber, a pipeline"
needs="boost/fiber/all.hpp:libboost-fiber-dev"

# shellcheck disable=SC2086
build() { $CXX $CXXFLAGS -o program "${recipe%.sh}.cc" $LDFLAGS -lboost_fiber -lboost_context -pthread; }

run() { $launch "$program"; }
