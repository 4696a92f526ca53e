/* recording.h - an amon.out that is written while somebody else's process runs: the recorder's side of the format.
 *
 * As the monitor's files it is a shared mapping, whole at every moment and complete after any death of the recorder; it grows with contexts,
 * not with samples.  One writer; readers at any time (doc/format.md).  What is no process's, but other people's file, is written in memory. */
#ifndef SAMPLE_RECORDING_H
#define SAMPLE_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "contract/amon.h"
#include "read/profile/profile.h"

#define RECORDING_NONE UINT32_MAX

struct recording;

/* Make the file PATH, which must not be there; HEADER tells what is known of the process and the clock (magic, version, sizes and
 * `used` are set here).  Of HEADER->memory_bound bytes it takes no more.  NULL with *ERR set, and errno: it cannot be made. */
struct recording *recording_new(const char *path, const struct amon_header *header, struct error *err);

/* The same in memory, without a file. */
struct recording *recording_new_in_memory(const struct amon_header *header, struct error *err);

/* The amon.out PATH, of one process that is over, to be written on: modules, routines and symbols can be added, and nothing else.  NULL: it cannot be written, somebody
 * writes it, or what there is of these does not hold together. */
struct recording *recording_again(const char *path);

/* The same of a copy in memory of the LEN bytes at DATA. */
struct recording *recording_again_in_memory(const void *data, size_t len);

/* All that is written so far, *LEN bytes: a whole amon.out.  Valid until L is next written to, or ended. */
const void *recording_bytes(const struct recording *l, size_t *len);

/* Cut the file to what is used, mark it AMON_ENDED if ENDED, and free L. */
void recording_end(struct recording *l, bool ended);

/* The header, in the file: the owner may change what is known of the process, notes, and times. */
struct amon_header *recording_header(struct recording *l);

/* Append a module; its record's sizes are set here from PATH.  The index of it, or RECORDING_NONE where the bound or the disk is met, as in the
 * functions that follow. */
uint32_t recording_module(struct recording *l, const struct amon_module *record, const char *path);

/* The number by which symbols name MODULE: of different files up to it. */
uint32_t recording_module_rank(const struct recording *l, uint32_t module);

/* Append the routine at ADDRESS of MODULE (RECORDING_NONE: unknown). */
uint32_t recording_routine(struct recording *l, uint64_t address, uint32_t module, uint32_t flags);

/* How many routines there are, and routine I: its module is an index, or RECORDING_NONE. */
uint32_t recording_routines(const struct recording *l);
struct amon_routine recording_routine_at(const struct recording *l, uint32_t i);

/* Make routine I the same one as routine AS, for all contexts that have it. */
void recording_routine_is(struct recording *l, uint32_t i, uint32_t as);

/* How many module records there are, and record I, which its path follows; valid until one is added. */
uint32_t recording_modules(const struct recording *l);
const struct amon_module *recording_module_at(const struct recording *l, uint32_t i);

/* Say, once, that the file is of the processes that COMMAND tells of, and not of the one of its header. */
void recording_command(struct recording *l, const struct amon_command *command);

/* Append a thread, with its root. */
uint32_t recording_thread(struct recording *l, uint32_t tid);

/* The record of THREAD, in the file. */
struct amon_thread *recording_thread_record(struct recording *l, uint32_t thread);

/* Append an item to THREAD: in the context PARENT, or RECORDING_NONE, ROUTINE is called. */
uint32_t recording_item(struct recording *l, uint32_t thread, uint32_t parent, uint32_t routine);

/* Charge TIME, ns, and one sample to ITEM of THREAD. */
bool recording_charge(struct recording *l, uint32_t thread, uint32_t item, uint64_t time);

/* Add CALLS of ITEM, TIME, ns, that was spent in it, and TICKS samples, which are alike; each stays at the largest number that there is room for.
 * False: none for what samples stand for. */
bool recording_add(struct recording *l, uint32_t thread, uint32_t item, uint64_t calls, uint64_t time, uint64_t ticks);

/* Say that the file has amounts of the value NAME in UNIT, FLAGS being of enum amon_value_flag.  The first is what times and samples of recording_add
 * are.  Its index, the same in all threads; RECORDING_NONE: no room. */
uint32_t recording_value(struct recording *l, const char *name, const char *unit, uint32_t flags);

/* The first value is the time of the header's clock, sampled, and what each sample stands for is told.  False: no room. */
bool recording_clock_value(struct recording *l);

/* Add AMOUNT of VALUE, not the first, which SAMPLES brought that are alike (0: it is exact, or their number is not known), to ITEM of THREAD.
 * False: no room. */
bool recording_amount(struct recording *l, uint32_t thread, uint32_t item, uint32_t value, uint64_t amount, uint64_t samples);

/* The same of one sample that was drawn by a chance of its own: it adds SQUARE, 128 bits, the low half first, to the variance, and not the square of AMOUNT. */
bool recording_amount_drawn(struct recording *l, uint32_t thread, uint32_t item, uint32_t value, uint64_t amount, const uint64_t square[2]);

/* The same for arc number ARC. */
bool recording_arc_amount(struct recording *l, uint32_t arc, uint32_t value, uint64_t amount);

/* The time that the items of THREAD have, ns. */
uint64_t recording_time(const struct recording *l, uint32_t thread);

/* Add NSEC to the items of THREAD in proportion to the times that they have, which are not all 0: no sample is of it.  It was spent at about AT, CLOCK_MONOTONIC ns. */
void recording_share(struct recording *l, uint32_t thread, uint64_t nsec, uint64_t at);

/* What the items of THREAD have of VALUE, not the first, is to be TO in all, in proportion to what they have; where that is nothing, nothing happens. */
void recording_amount_scale(struct recording *l, uint32_t thread, uint32_t value, uint64_t to);

/* From now on keep what is charged by interval of the run, too (contract/slice.h), as the owner tells by recording_slice. */
void recording_keep_slices(struct recording *l);

/* So much TIME, ns, by TICKS samples, was charged to ITEM of THREAD at AT, CLOCK_MONOTONIC ns.  What there is no room for is noted. */
void recording_slice(struct recording *l, uint32_t thread, uint32_t item, uint64_t at, uint64_t time, uint64_t ticks);

/* When the interval ends that the moment AT is in, CLOCK_MONOTONIC ns; UINT64_MAX: none are kept. */
uint64_t recording_interval_end(const struct recording *l, uint64_t at);

/* From now on, before there is a thread, keep of items where their calls come from, and how many samples found them under way (format.md, Call sites). */
void recording_keep_sites(struct recording *l);
bool recording_keeps_sites(const struct recording *l);

/* Is there room for one more call site?  The last of it is for contexts. */
bool recording_fits_site(const struct recording *l);

/* The calls of ITEM of THREAD return to SITE (AMON_SITE_NONE and _SEVERAL too). */
void recording_site(struct recording *l, uint32_t thread, uint32_t item, uint64_t site);

/* Where the samples of ITEM's calls are counted, for as long as L is there; 0: there is no room. */
uint64_t recording_site_counter(const struct recording *l, uint32_t thread, uint32_t item);

/* TICKS samples found a call of the item of COUNTER under way, along an arc that it counts for: the routine called at work itself, if SELF, else what that
 * called. */
void recording_count_site(struct recording *l, uint64_t counter, bool self, uint64_t ticks);

/* Append calls from routine FROM (RECORDING_NONE: nobody knows whose) to TO, and the time in them, ns: of a file without contexts.  Its number,
 * RECORDING_NONE: no room. */
uint32_t recording_arc(struct recording *l, uint32_t from, uint32_t to, uint64_t calls, uint64_t time);

/* Append what is known of the symbols of module number MODULE, counting each file once (S->module is not used).  False: no room. */
bool recording_symbols(struct recording *l, uint32_t module, const struct profile_symbols *s);

/* Count N samples of VALUE, of ITEM of THREAD, at the address PC, not 0.  False: there is no room. */
bool recording_pc(struct recording *l, uint32_t thread, uint32_t value, uint32_t item, uint64_t pc, uint32_t n);

#endif
