/* template.h - the page as it was bundled when aprof was built.
 *
 * One HTML file with its scripts and styles in it.  The profile goes where PAGE_MARK stands, once.  The page of a program that runs has no profile but asks
 * for it: it is allowed to where PAGE_CONNECT_MARK stands, and told so where PAGE_LIVE_MARK does; the three come in this order. */
#ifndef PAGE_TEMPLATE_H
#define PAGE_TEMPLATE_H

#define PAGE_CONNECT_MARK "@APROF_CONNECT@"
#define PAGE_LIVE_MARK "@APROF_LIVE@"
#define PAGE_MARK "@APROF_PROFILE@"

/* The file's bytes, from the first to one past the last; none in a build without the page. */
extern const char page_template[], page_template_end[];

#endif
