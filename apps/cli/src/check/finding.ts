/** What a step says: `unseen` where it cannot be seen from here, `skipped` where an earlier failure makes it pointless. */
export type Outcome = 'ok' | 'failed' | 'warning' | 'unseen' | 'skipped';

/** What a step found out. */
export interface Finding {
  outcome: Outcome;
  text: string;
  /** What to do about it. */
  mend?: string;
}

export const ok = (text: string): Finding => ({ outcome: 'ok', text });
export const failed = (text: string, mend: string): Finding => ({ outcome: 'failed', text, mend });
export const warning = (text: string, mend: string): Finding => ({ outcome: 'warning', text, mend });
export const unseen = (text: string, mend?: string): Finding => ({
  outcome: 'unseen',
  text,
  ...(mend === undefined ? {} : { mend }),
});

/** One thing that must be right for an extension API server to work. */
export interface CheckStep<Facts> {
  name: string;
  /** Steps without whose success this one says nothing. */
  needs: readonly string[];
  run(facts: Facts): Promise<Finding> | Finding;
}

export type Result = Finding & { step: string };

/** Runs all steps in their order. What a step throws is its failure. */
export async function runSteps<Facts>(steps: readonly CheckStep<Facts>[], facts: Facts): Promise<Result[]> {
  const results: Result[] = [];
  for (const { name, needs, run } of steps) {
    const missing = results.find(({ step, outcome }) => needs.includes(step) && !passes(outcome));
    if (missing) results.push({ step: name, outcome: 'skipped', text: `needs ${missing.step}` });
    else results.push({ step: name, ...(await attempt(() => run(facts))) });
  }
  return results;
}

const passes = (outcome: Outcome): boolean => outcome !== 'failed' && outcome !== 'skipped';

async function attempt(run: () => Promise<Finding> | Finding): Promise<Finding> {
  try {
    return await run();
  } catch (error) {
    return unseen((error as Error).message);
  }
}
