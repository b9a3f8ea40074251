/**
 * How long something may take that is sure to come, in milliseconds: far longer than it does, since other suites use the
 * processors as well.
 */
export const patienceMs = 60_000;
