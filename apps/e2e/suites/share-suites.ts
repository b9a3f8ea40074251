import { afterAll, describe } from 'vitest';
import { stopShared } from '../runners/shared-runner.ts';

/** Runs suites on the same server, one after the other. `query` names the server: a suite is loaded anew for each. */
export function shareSuites(names: readonly string[], query: string): void {
  afterAll(stopShared);
  for (const name of names) describe(name, async () => void (await import(`./${name}.e2e.ts?${query}`)));
}
