/**
 * Returns how many random inputs a property test runs: `count` in the gate, which has other ones in each run, and `ANNEX_SAMPLES` times as
 * many in a long run.
 */
export const samples = (count: number): number => count * Number(process.env.ANNEX_SAMPLES ?? 1);
