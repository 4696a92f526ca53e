/* command.h - the commands of aprof: one row each in the table of main.c. */
#ifndef COMMAND_H
#define COMMAND_H

/* Run a command; argv[0] is its name.  Returns the exit status. */
typedef int command_function(int argc, char **argv);

command_function command_run, command_report, command_tree, command_cycles, command_contexts, command_info;
command_function command_view, command_annotate, command_hot, command_paths;
command_function command_export, command_diff, command_check;
command_function command_compare_models;
command_function command_html;
command_function command_merge, command_reset, command_cc, command_cxx, command_fc, command_cc_step, command_config, command_help;

/* Print the usage line and summary of the command NAME, for its --help. */
void command_usage(const char *name);

#endif
