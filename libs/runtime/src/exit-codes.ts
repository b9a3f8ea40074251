/** The exit codes of all programs, and their meanings. `docs/reference/errors.md` repeats the table. */
export const exitCodes = {
  0: 'it completed, or stopped after SIGTERM or SIGINT',
  1: 'it failed; standard error has the reason',
  2: 'its command line is invalid',
  70: 'its event loop was stuck for longer than --max-loop-stall',
} as const;

/** The exit code after an invalid command line. */
export const invalidCommandLine = 2;
