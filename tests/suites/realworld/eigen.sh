# Eigen: templates, of which the compiler inlines nearly all.
title="Eigen"
needs="eigen3/Eigen/src/Core/util/Macros.h:libeigen3-dev"

prepare() {
    cat >work.cc <<'EOC'
#include <Eigen/Dense>
#include <cstdio>
template <class M> __attribute__((noinline)) double solve(int n) { M a = M::Random(n, n) + n * M::Identity(n, n); return (a.partialPivLu().solve(M::Identity(n, n)) * a).trace(); }
template <class M> __attribute__((noinline)) double spectrum(int n) { M a = M::Random(n, n); M s = a * a.transpose(); return Eigen::SelfAdjointEigenSolver<M>(s).eigenvalues().sum() - s.trace(); }
template <class M> __attribute__((noinline)) double orthogonal(int n) { M a = M::Random(n, n); M q = a.householderQr().householderQ(); return q.trace(); }
int main() { double sum = 0; for (int i = 0; i < 8; i++) sum += solve<Eigen::MatrixXd>(400) + spectrum<Eigen::MatrixXd>(180) + orthogonal<Eigen::MatrixXd>(240) + solve<Eigen::MatrixXf>(300); std::printf("%.0f\n", sum); }
EOC
}

# shellcheck disable=SC2086
build() { $CXX $CXXFLAGS -I/usr/include/eigen3 -o program "$prepared/work.cc" $LDFLAGS; }

run() { $launch "$program"; }
