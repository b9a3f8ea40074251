import { expect, it } from 'vitest';
import { type Step, composeSteps } from './step.ts';

const step = (name: string): Step<string[]> => ({
  name,
  async run(log, next) {
    log.push(`${name} in`);
    await next(log);
    log.push(`${name} out`);
  },
});

it('runs steps in the order of the list, each around the later ones', async () => {
  const log: string[] = [];
  await composeSteps([step('a'), step('b')])(log);
  expect(log).toEqual(['a in', 'b in', 'b out', 'a out']);
});

it('ends if a step does not call next', async () => {
  const log: string[] = [];
  const stop: Step<string[]> = { name: 'stop', run: () => undefined };
  await composeSteps([step('a'), stop, step('b')])(log);
  expect(log).toEqual(['a in', 'a out']);
});

it('lets a step repeat the later steps', async () => {
  const log: string[] = [];
  const twice: Step<string[]> = {
    name: 'twice',
    async run(log, next) {
      await next(log);
      await next(log);
    },
  };
  await composeSteps([twice, step('a')])(log);
  expect(log).toEqual(['a in', 'a out', 'a in', 'a out']);
});

it('notifies the observer when each step begins', async () => {
  const seen: string[] = [];
  const fails: Step<string[]> = {
    name: 'fails',
    run: () => {
      throw new Error('no');
    },
  };
  const run = composeSteps([step('a'), fails], (name) => seen.push(name));
  await expect(run([])).rejects.toThrow('no');
  expect(seen).toEqual(['a', 'fails']);
});

it('yields to the event loop after a long synchronous step', async () => {
  const log: string[] = [];
  const long: Step<string[]> = {
    name: 'long',
    run(log, next) {
      setImmediate(() => log.push('somebody else'));
      for (const end = performance.now() + 20; performance.now() < end;);
      return next(log);
    },
  };
  await composeSteps([step('a'), long, step('b')])(log);
  expect(log).toEqual(['a in', 'somebody else', 'b in', 'b out', 'a out']);
});
