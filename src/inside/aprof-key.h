/* aprof-key.h - what a cache of compilations that runs aprof-cc is shown in what is preprocessed: which compiler, plugin and aprof make code of it
 * (compile/plan.c).  A name of a file where there are line marks, and one that is not there, so that ccache asks for what is preprocessed each time; else a
 * declaration that makes no code. */
#ifdef APROF_KEY_WORD
struct APROF_KEY_WORD;
#undef APROF_KEY_WORD
#else
#line 1 APROF_KEY
#undef APROF_KEY
#endif
