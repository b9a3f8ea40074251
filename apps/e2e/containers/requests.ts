import { setTimeout } from 'node:timers/promises';
import type { Client, ClientRequest } from '@annex/client';

/** Requests that several workers send until they are ended. */
export interface Requests {
  /** Resolves when each worker has completed requests that it started after the call, or when one failed. */
  next(): Promise<void>;
  end(): Promise<Outcome>;
}

export interface Outcome {
  failures: string[];
  /** The number of requests that were sent again, because their connection ended. */
  repeated: number;
}

const path = '/api/v1/namespaces/default/configmaps';
const longestRepetitionMs = 30_000;

/**
 * Creates, reads and deletes ConfigMaps, each client for two workers. With `repeatsLost`, a request whose connection ends is sent again, as
 * client-go does with reads, and controllers do with everything.
 */
export function work(clients: readonly Client[], { repeatsLost }: { repeatsLost: boolean }): Requests {
  const outcome: Outcome = { failures: [], repeated: 0 };
  const rounds = clients.flatMap(() => [0, 0]);
  let isOver = false;
  const send = async (client: Client, request: ClientRequest, expected: readonly number[]): Promise<void> => {
    const end = Date.now() + (repeatsLost ? longestRepetitionMs : 0);
    let isRepeated = false;
    for (;;) {
      const response = await client.send(request).catch((error: unknown) => ({ status: String(error) }));
      if (expected.includes(response.status as number)) return;
      // The first request may have been served.
      if (isRepeated && response.status === (request.method === 'POST' ? 409 : 404)) return;
      if (typeof response.status === 'number' || Date.now() > end) {
        outcome.failures.push(`${request.method ?? 'GET'} ${request.path}: ${response.status}`);
        return;
      }
      isRepeated = true;
      outcome.repeated++;
      await setTimeout(100);
    }
  };
  const run = async (client: Client, worker: number): Promise<void> => {
    for (let i = 0; !isOver; i++) {
      const name = `w-${worker}-${i}-${Date.now()}`;
      await send(client, { method: 'POST', path, body: { metadata: { name } } }, [201]);
      await send(client, { path: `${path}/${name}` }, [200]);
      await send(client, { method: 'DELETE', path: `${path}/${name}` }, [200]);
      rounds[worker]!++;
      // Leaves processor time to the containers.
      await setTimeout(10);
    }
  };
  const running = rounds.map((_, worker) => run(clients[worker % clients.length]!, worker));
  return {
    async next() {
      const wanted = rounds.map((count) => count + 2);
      const isDone = () => rounds.every((count, worker) => count >= wanted[worker]!);
      while (!isDone() && outcome.failures.length === 0) await setTimeout(50);
    },
    async end() {
      isOver = true;
      await Promise.all(running);
      return outcome;
    },
  };
}
