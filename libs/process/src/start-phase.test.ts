import { expect, it } from 'vitest';
import { StartPhase } from './start-phase.ts';

const deps = { store: { revision: 1 }, feed: { revision: 1 }, metrics: {} } as never;

it('a server refuses requests until other threads are prepared, and then lets them listen', async () => {
  const { promise: prepared, resolve } = Promise.withResolvers<void>();
  const states: (boolean | undefined)[] = [];
  const isStarting = () => routes.isStarting?.();
  const phase = new StartPhase(
    async () => void states.push(isStarting()),
    () => prepared,
  );
  const routes = phase.routes({ refusedAtStart: 'everything', routes: {} } as never, deps);
  const opened = phase.open();
  await Promise.resolve();
  states.push(isStarting());
  resolve();
  await opened;
  expect(states).toEqual([true, false]);
});
