import type { Page } from '@annex/runtime';
import type { AgentPool } from './agents/agent-pool.ts';

/** Lists the agents that are connected, as JSON. */
export const agentsPage =
  (agents: AgentPool): Page =>
  async () => {
    const rows = agents.all.map(({ id, connections, pendingDials, isDraining, isSilent, extensions }) => ({
      id,
      connections,
      pendingDials,
      isDraining,
      isSilent,
      extensions: [...extensions],
    }));
    return [200, 'application/json', `${JSON.stringify({ agents: rows }, undefined, 2)}\n`];
  };
