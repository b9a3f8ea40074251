/** Timeout in milliseconds for events that must happen: far longer than they take, because other suites use the processors too. */
export const patienceMs = 60_000;
