/* gone.c - a library for laid.c. */
int in_library(int n);
__attribute__((noinline)) int in_library(int n) { __asm__ volatile(""); return n + 3; }
