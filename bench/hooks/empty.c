/* Hooks that do nothing: what a program that is built with
   -finstrument-functions pays for the calls alone.  The paper's "dummy". */

void __cyg_profile_func_enter(void *routine, void *call_site);
void __cyg_profile_func_exit(void *routine, void *call_site);

void __cyg_profile_func_enter(void *routine, void *call_site)
{
    (void)routine;
    (void)call_site;
}

void __cyg_profile_func_exit(void *routine, void *call_site)
{
    (void)routine;
    (void)call_site;
}
