import { randomInt } from 'node:crypto';
import type { Agent } from './agent.ts';
import type { AgentConnection } from '../tunnel/agent-connection.ts';
import { hostOfAddress } from './identifiers.ts';

/** How an agent is chosen for a destination: by its identifiers, because it has the default route, or any. */
export const strategies = ['destHost', 'defaultRoute', 'default'] as const;
export type Strategy = (typeof strategies)[number];

const fits: Readonly<Record<Strategy, (agent: Agent, host: string) => boolean>> = {
  destHost: ({ identifiers }, host) => identifiers.includes(host),
  defaultRoute: ({ identifiers }) => identifiers.isDefaultRoute,
  default: () => true,
};

/** The agents that are connected. */
export class AgentPool {
  readonly #strategies: readonly Strategy[];
  /** In the order of their arrival. */
  readonly #agents = new Set<Agent>();
  /** Of several streams with one id, the newest is alive for certain. */
  #newest: readonly Agent[] = [];

  constructor(inOrder: readonly Strategy[]) {
    this.#strategies = inOrder;
  }

  get size(): number {
    return this.#agents.size;
  }

  get all(): readonly Agent[] {
    return [...this.#agents];
  }

  /** The open connections of all agents. */
  *connections(): Iterable<AgentConnection> {
    for (const agent of this.#agents) yield* agent.open;
  }

  /** Adds an agent. Older streams of the same id are checked: they may be dead. */
  add(agent: Agent): void {
    for (const other of this.#agents) if (other.id === agent.id) other.check();
    this.#agents.add(agent);
    this.#changed();
  }

  remove(agent: Agent): void {
    this.#agents.delete(agent);
    this.#changed();
  }

  /** Chooses an agent for an address; the first strategy with one decides. Agents in `without` are left out. */
  choose(address: string, without: ReadonlySet<Agent>): Agent | undefined {
    const host = hostOfAddress(address);
    for (const strategy of this.#strategies) {
      const candidates = this.#newest.filter((agent) => !without.has(agent) && fits[strategy](agent, host));
      if (candidates.length > 0) return anyOf(best(candidates));
    }
    return undefined;
  }

  /** Agents that a strategy can choose: the gauge `ready_backends`. */
  count(strategy: Strategy): number {
    const agents = this.all;
    if (strategy === 'default') return agents.length;
    if (strategy === 'defaultRoute')
      return agents.filter(({ identifiers }) => identifiers.isDefaultRoute).length;
    return agents.reduce((sum, { identifiers }) => sum + identifiers.count, 0);
  }

  #changed(): void {
    this.#newest = [...new Map(this.all.map((agent) => [agent.id, agent])).values()];
  }
}

/** Agents that respond, then those that drain, then those that are silent. */
function best(agents: readonly Agent[]): readonly Agent[] {
  if (agents.length === 1) return agents;
  const ranks = Map.groupBy(agents, ({ isDraining, isSilent }) => (isSilent ? 2 : isDraining ? 1 : 0));
  return ranks.get(0) ?? ranks.get(1) ?? agents;
}

const anyOf = (agents: readonly Agent[]): Agent | undefined =>
  agents[agents.length > 1 ? randomInt(agents.length) : 0];
