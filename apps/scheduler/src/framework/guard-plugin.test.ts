import { type Logger, nullLogger } from '@annex/runtime';
import { FakeClock } from '@annex/testkit';
import { describe, expect, it } from 'vitest';
import { aNode, aPod } from '../cycle/decision.fixture.ts';
import { NodeInfo } from '../objects/node-info.ts';
import { PodInfo } from '../objects/pod-info.ts';
import { Cycle } from './cycle.ts';
import { definePlugin, type PluginFunctions } from './define-plugin.ts';
import { guardPlugin, maxPluginCycleMs, pluginTimeoutMs } from './guard-plugin.ts';
import type { Handle } from './handle.ts';
import { maxPermitWaitMs } from './plugin-results.ts';
import { Status, unschedulable } from './status.ts';

const pod = new PodInfo(aPod('p'));
const node = new NodeInfo('n');
node.setNode(aNode('n'));

function guarded(functions: object) {
  const clock = new FakeClock();
  const logged: unknown[] = [];
  const log: Logger = { ...nullLogger, error: (_message, fields) => logged.push(fields) };
  const definition = definePlugin({ name: 'Mine', create: () => functions as PluginFunctions });
  return { plugin: guardPlugin(definition).create({}, { clock, log } as unknown as Handle), clock, logged };
}

const boom = () => {
  throw new Error('boom');
};

describe('a function that throws', () => {
  it.each(['preFilter', 'filter', 'preScore', 'score', 'normalize'] as const)(
    '%s fails the cycle',
    (name) => {
      const { plugin, logged } = guarded({ [name]: boom });
      expect(() => plugin[name]?.(new Cycle(), pod, node as never, [])).toThrow('boom');
      expect(logged).toEqual([
        { plugin: 'Mine', function: name, error: expect.stringContaining('Error: boom\n') as string },
      ]);
    },
  );

  it('addPod names the plugin, because it has no extension point', () => {
    const { plugin } = guarded({ addPod: boom });
    expect(() => plugin.addPod?.(new Cycle(), pod, pod, node)).toThrow(
      'running addPod of plugin "Mine": boom',
    );
  });

  it.each(['reserve', 'permit', 'preEnqueue', 'preBind', 'bind'] as const)(
    '%s is an error status',
    async (name) => {
      const { plugin } = guarded({ [name]: boom });
      const result: unknown = await plugin[name]?.(
        ...([name === 'preEnqueue' ? pod : new Cycle(), pod, 'n'] as unknown as [never, never, never]),
      );
      expect(result).toMatchObject({ code: 'error', message: 'boom' });
    },
  );

  it('unreserve, postBind and hints change nothing, and a queue sort keeps the order', () => {
    const { plugin, logged } = guarded({
      unreserve: boom,
      postBind: boom,
      less: boom,
      events: [{ resource: 'Node', actions: ['Add'], hint: boom }],
    });
    plugin.unreserve?.(new Cycle(), pod, 'n');
    plugin.postBind?.(new Cycle(), pod, 'n');
    expect(plugin.less?.({ info: pod, timestamp: 1 }, { info: pod, timestamp: 2 })).toBe(false);
    expect(plugin.events?.[0]?.hint?.(pod, undefined, node as never)).toBe(true);
    expect(logged).toHaveLength(4);
  });
});

describe('a result of another type', () => {
  it.each<[string, object, string]>([
    [
      'a filter that returns false',
      { filter: () => false },
      'filter returned false instead of nothing or a Status',
    ],
    [
      'a filter that returns a text',
      { filter: () => 'no' },
      'filter returned "no" instead of nothing or a Status',
    ],
    [
      'an asynchronous filter',
      { filter: () => Promise.reject(new Error('unseen')) },
      'filter returned a promise: only postFilter, preBind and bind can be asynchronous',
    ],
    [
      'nodes that are no Set',
      { preFilter: () => ({ nodes: ['n'] }) },
      "preFilter returned an object with nodes instead of nothing, 'skip', a Status, or { nodes: Set }",
    ],
    ['a score that is a text', { score: () => '5' }, 'score returned "5" instead of a number'],
  ])('%s fails the cycle', (_name, functions, text) => {
    const { plugin } = guarded(functions);
    expect(() =>
      [plugin.preFilter, plugin.filter, plugin.score].forEach((call) => call?.(new Cycle(), pod, node)),
    ).toThrow(text);
  });

  it('a permission that waits too long is refused', () => {
    const { plugin } = guarded({ permit: () => ({ waitMs: maxPermitWaitMs + 1 }) });
    expect(plugin.permit?.(new Cycle(), pod, 'n')).toMatchObject({
      code: 'error',
      message:
        'permit returned an object with waitMs instead of nothing or { status, waitMs }, with at most 15 minutes',
    });
    const { plugin: longest } = guarded({ permit: () => ({ waitMs: maxPermitWaitMs }) });
    expect(longest.permit?.(new Cycle(), pod, 'n')).toEqual({ waitMs: maxPermitWaitMs });
  });

  it('a status that plugins share has the name of each', () => {
    const shared = unschedulable('no');
    shared.plugin = 'Other';
    const { plugin } = guarded({ filter: () => shared });
    expect(plugin.filter?.(new Cycle(), pod, node)).toMatchObject({ plugin: 'Mine', reasons: ['no'] });
    expect(shared.plugin).toBe('Other');
  });

  it('a status of a second copy of the package is one', () => {
    const foreign = { code: 'unschedulable', reasons: ['no'], [Symbol.for('annex.scheduler.status')]: true };
    const { plugin } = guarded({ filter: () => foreign });
    const result: unknown = plugin.filter?.(new Cycle(), pod, node);
    expect(Object.getPrototypeOf(result)).toBe(Status.prototype);
  });
});

describe('a function that takes long', () => {
  it('fails the cycle when the plugin has used its time, also in copies of the cycle', () => {
    const { plugin, clock } = guarded({ filter: () => void clock.advance(maxPluginCycleMs / 2) });
    const cycle = new Cycle();
    expect(plugin.filter?.(cycle, pod, node)).toBeUndefined();
    expect(plugin.filter?.(cycle.clone(), pod, node)).toBeUndefined();
    expect(() => plugin.filter?.(cycle, pod, node)).toThrow('took 1500 ms of the cycle, more than 1000 ms');
    expect(plugin.filter?.(new Cycle(), pod, node)).toBeUndefined();
  });

  it.each([
    ['the default time', {}, pluginTimeoutMs, 'preBind did not end in 30 s'],
    ['its own time', { timeoutMs: 200 }, 200, 'preBind did not end in 0.2 s'],
  ])('preBind fails after %s', async (_name, parts, ms, message) => {
    const { plugin, clock } = guarded({ preBind: () => new Promise(() => undefined), ...parts });
    const result = plugin.preBind?.(new Cycle(), pod, 'n');
    await clock.advance(ms);
    expect(await result).toMatchObject({ code: 'error', message });
  });

  it('ends with the cycle', async () => {
    const { plugin } = guarded({ bind: () => new Promise(() => undefined) });
    const cycle = new Cycle();
    const result = plugin.bind?.(cycle, pod, 'n');
    cycle.abort(new Error('the pod was deleted'));
    expect(await result).toMatchObject({ code: 'error', message: 'the pod was deleted' });
  });
});
