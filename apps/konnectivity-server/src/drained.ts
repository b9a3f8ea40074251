import type { AgentPool } from './agents/agent-pool.ts';

const pollMs = 50;

/** Resolves when no connection is open, or after a time in milliseconds. */
export async function drained(agents: AgentPool, timeoutMs: number): Promise<void> {
  const until = performance.now() + timeoutMs;
  const isBusy = () => agents.all.some(({ connections, pendingDials }) => connections + pendingDials > 0);
  while (isBusy() && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, pollMs));
}
