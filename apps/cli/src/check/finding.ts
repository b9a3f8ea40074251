/** The outcome of a step: `unseen` if it cannot be checked from here, `skipped` if an earlier failure makes it pointless. */
export type Outcome = 'ok' | 'failed' | 'warning' | 'unseen' | 'skipped';

/** The result of a step. */
export interface Finding {
  outcome: Outcome;
  text: string;
  /** How to fix it. */
  fix?: string;
}

export const ok = (text: string): Finding => ({ outcome: 'ok', text });
export const failed = (text: string, fix: string): Finding => ({ outcome: 'failed', text, fix });
export const warning = (text: string, fix: string): Finding => ({ outcome: 'warning', text, fix });
export const unseen = (text: string, fix?: string): Finding => ({
  outcome: 'unseen',
  text,
  ...(fix === undefined ? {} : { fix }),
});

/** A requirement of a working extension API server. */
export interface CheckStep<Facts> {
  name: string;
  /** Steps that must succeed before this one can run. */
  needs: readonly string[];
  run(facts: Facts): Promise<Finding> | Finding;
}

export type Result = Finding & { step: string };

/** Runs all steps in their order. A thrown error makes a step `unseen`. */
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
