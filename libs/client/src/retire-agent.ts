import type { Agent } from 'node:http';

/** Closes the idle connections of an agent, and each other one after its request. */
export function retireAgent(agent: Agent): void {
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets))
    for (const socket of sockets ?? []) socket.destroy();
}
