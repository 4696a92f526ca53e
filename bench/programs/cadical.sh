# CaDiCaL, a solver of propositional formulas in C++ (small functions of large objects, long loops over watch lists), on a
# formula of 240 variables that has no solution: it is drawn at random with 4.3 clauses for each variable.
title="CaDiCaL, a random formula"
packages=cadical
language=c++

# By awk's own arithmetic, since each awk has another rand().
prepare() {
    awk -v variables=240 -v seed=2 '
        function draw(n) { state = (state * 16807) % 2147483647; return state % n }
        BEGIN {
            state = seed; clauses = int(variables * 4.3)
            print "p cnf", variables, clauses
            for (i = 0; i < clauses; i++) {
                for (k = 0; k < 3; k++)
                    printf "%d ", (draw(variables) + 1) * (draw(2) ? 1 : -1)
                print 0
            }
        }' >formula.cnf
}

build() {
    source=$(source_of cadical)
    CC=$CXX
    set --
    for file in "$source"/src/*.cpp; do
        case ${file##*/} in
        cadical.cpp | mobical.cpp) ;;
        *) set -- "$@" "$file" ;;
        esac
    done
    compile_and_link -std=c++11 -DNBUILD -DNDEBUG -I"$source/src" -- "$@" "$bench/cadical/solve.cpp"
}

run() { exec $launch "$program" "$prepared/formula.cnf"; }
