"""Small programs whose gmon.out files the tests compare: name -> (language, flags of the compiler, source)."""

HEAD = '''
static volatile unsigned long sink;
static void spin(unsigned long n) { for (unsigned long i = 0; i < n; i++) sink += i * i; }
'''

# Recursion of both kinds, static functions, a function that is never called, one called from many.
CYCLES = HEAD + '''
int odd(int n);
int even(int n) { spin(900); return n == 0 ? 1 : odd(n - 1); }
int odd(int n) { spin(700); return n == 0 ? 0 : even(n - 1); }
int self(int n) { spin(500); return n ? self(n - 1) + 1 : 0; }
static void leaf(unsigned n) { spin(n); }
void cheap(void) { for (int i = 0; i < 400; i++) leaf(3000); even(400); }
void dear(void) { for (int i = 0; i < 100; i++) leaf(90000); self(300); odd(301); }
void never(void) { leaf(1); even(1); }
int main(int argc, char **argv) {
    (void)argv;
    for (int i = 0; i < 5; i++) { cheap(); dear(); }
    if (argc > 5) never();
    return 0;
}
'''

# Two cycles that share a callee, one of them entered from the other's callers; a cycle within a cycle.
TANGLE = HEAD + '''
void a(int), b(int), c(int), d(int), e(int), f(int), g(int);
void a(int n) { spin(2000); if (n > 0) { b(n - 1); c(n - 2); } }
void b(int n) { spin(1000); if (n > 0) a(n - 1); g(n); }
void c(int n) { spin(3000); if (n > 0) { c(n - 1); a(n - 3); } }
void d(int n) { spin(1500); if (n > 0) e(n - 1); }
void e(int n) { spin(1200); g(n); if (n > 0) f(n - 1); }
void f(int n) { spin(1100); if (n > 0) { d(n - 1); d(n - 2); } }
void g(int n) { spin(400 + (unsigned)(n < 0 ? 0 : n)); }
int main(void) {
    for (int i = 0; i < 100; i++) { a(12); d(14); e(9); }
    return 0;
}
'''

THREADS = '''
#include <pthread.h>
''' + HEAD + '''
static void work(int n) { spin((unsigned long)n * 1000); }
static void *first(void *arg) { for (int i = 0; i < 3000; i++) work(3); return arg; }
static void *second(void *arg) { for (int i = 0; i < 1000; i++) work(17); return arg; }
int main(void) {
    pthread_t t[4];
    for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, i % 2 ? first : second, 0);
    for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
    return 0;
}
'''

CPLUSPLUS = '''
#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>
namespace shapes {
struct Base { virtual ~Base() {} virtual int area(int x) = 0; };
struct Square : Base { int area(int x) override { int s = 0; for (int i = 0; i < x * 300; i++) s ^= i * x; return s; } };
template <class T> struct Pile : Base {
    std::vector<T> v;
    int area(int x) override { v.push_back(T(x)); std::sort(v.begin(), v.end(), std::greater<T>()); return (int)v.size(); }
};
static std::map<std::string, int> names;
int operator+(const Square &, int x) { return names["k" + std::to_string(x % 100)] += x; }
}
static int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
int main() {
    shapes::Square a; shapes::Pile<int> b; shapes::Pile<double> c;
    std::function<int(int)> g = [&](int x) { return a + x; };
    int s = 0;
    for (int i = 0; i < 900; i++) s += a.area(i % 200) + b.area(i) + c.area(i) + g(i) + factorial(i % 12);
    return s == 42;
}
'''

# An interpreter of a toy language: calls through a table, clones (-O2 makes .constprop and .isra of the static ones).
INTERPRETER = HEAD + '''
#include <stdlib.h>
#include <string.h>
struct machine { long stack[64]; int top; const char *code; };
typedef void step(struct machine *);
static __attribute__((noinline)) void push(struct machine *m, long x, int check) { if (!check || m->top < 64) m->stack[m->top++] = x; spin(20); }
static __attribute__((noinline)) long pop(struct machine *m, int check) { spin(15); return check && m->top == 0 ? 0 : m->stack[--m->top]; }
static void add(struct machine *m) { push(m, pop(m, 1) + pop(m, 1), 1); }
static void mul(struct machine *m) { push(m, pop(m, 1) * pop(m, 1), 1); spin(60); }
static void dup_(struct machine *m) { long x = pop(m, 1); push(m, x, 1); push(m, x, 1); }
static void digit(struct machine *m) { push(m, m->code[-1] - '0', 1); }
static step *const steps[128] = { ['+'] = add, ['*'] = mul, ['d'] = dup_, ['0'] = digit, ['1'] = digit, ['7'] = digit };
static void run(struct machine *m) { while (*m->code) steps[(unsigned char)*m->code++](m); }
static int compare(const void *a, const void *b) { spin(30); return *(const int *)a - *(const int *)b; }
int main(void) {
    int numbers[500];
    for (int i = 0; i < 20000; i++) { struct machine m = { .code = "17+d*7*1+0*d+" }; run(&m); }
    for (int k = 0; k < 20; k++) { for (int i = 0; i < 500; i++) numbers[i] = i * 7919 % 501; qsort(numbers, 500, sizeof *numbers, compare); }
    return 0;
}
'''

# Deeper than gprof's first stack, and with names of all kinds; basic assembly with labels and a symbol without a type.
DEEP = HEAD + '''
__asm__(".text\\nuntyped: ret\\n.globl shared_label\\nshared_label: nop\\nret\\n");
void untyped(void) __asm__("untyped");
#define F(n, m) void f##n(int d) { spin(300); if (d > 0) f##m(d - 1); }
void f0(int);
F(9, 0) F(8, 9) F(7, 8) F(6, 7) F(5, 6) F(4, 5) F(3, 4) F(2, 3) F(1, 2)
void f0(int d) { spin(100); if (d % 10 == 0 && d > 0) f1(d - 1); }
void _one(void) { spin(50000); } void __two(void) { spin(40000); _one(); }
void alias(void) __attribute__((alias("_one")));
__attribute__((weak)) void weak(void) { spin(30000); __two(); }
static void nothing(void) { }
int main(void) {
    for (int i = 0; i < 300; i++) { f0(100); f5(45); weak(); alias(); nothing(); untyped(); }
    return 0;
}
'''

PROGRAMS = {
    'cycles': ('c', '-O0 -g', CYCLES),
    'cycles-stripped-of-lines': ('c', '-O1 -fno-inline', CYCLES),
    'tangle': ('c', '-O1 -g -fno-inline', TANGLE),
    'tangle-static': ('c', '-O0 -static', TANGLE),
    'threads': ('c', '-O1 -g -pthread -fno-inline', THREADS),
    'c++': ('c++', '-O1 -g', CPLUSPLUS),
    'c++-unoptimised': ('c++', '-O0', CPLUSPLUS),
    'interpreter': ('c', '-O2 -g', INTERPRETER),
    'interpreter-fixed': ('c', '-O2 -no-pie', INTERPRETER),
    'interpreter-clones': ('c', '-O3 -fno-ipa-icf', INTERPRETER),
    'deep': ('c', '-O0 -g', DEEP),
    'deep-sections': ('c', '-Os -ffunction-sections -fno-inline', DEEP),
}
