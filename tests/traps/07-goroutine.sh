# Goroutines, which gccgo's library switches among by functions of its own, and moves from thread to thread.
#
# ways: inline
# cc: gcc
go=$(command -v gccgo || command -v "gccgo-$(gcc -dumpversion | cut -d. -f1)") || { echo "needs gccgo"; exit 77; }
cat > p.go <<'EOF'
package main

import "sync"

//go:noinline
func leaf(n int) int {
	s := 0
	for i := 0; i < n; i++ {
		s += i ^ s
	}
	return s
}

//go:noinline
func work(in, out chan int) {
	for v := range in {
		out <- leaf(v)
	}
}

//go:noinline
func worker(in, out chan int, left *sync.WaitGroup) {
	work(in, out)
	left.Done()
}

func main() {
	in, out := make(chan int), make(chan int, 10)
	var left sync.WaitGroup
	left.Add(8)
	for i := 0; i < 8; i++ {
		go worker(in, out, &left)
	}
	go func() {
		for i := 0; i < 20000; i++ {
			in <- i % 100
		}
		close(in)
		left.Wait()
		close(out)
	}()
	for range out {
	}
}
EOF
APROF_CC=$go $CC $OPT p.go -o p
for threads in 1 4; do
	rm -f amon.out
	GOMAXPROCS=$threads ./p
	"$APROF" contexts amon.out | while read -r entries recursive time history; do
		case $history in *work*) echo "$entries $recursive ${history##*thunk? }" ;; esac
	done | sort > contexts
	cat > expected <<'EOF'
20000 0 main.worker main.work main.leaf
8 0 main.worker
8 0 main.worker main.work
EOF
	diff expected contexts
done
