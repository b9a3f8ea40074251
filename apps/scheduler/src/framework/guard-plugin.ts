import type { Clock, Logger } from '@annex/runtime';
import { Cycle } from './cycle.ts';
import type { DefinedPlugin } from './define-plugin.ts';
import type { EventRegistration } from './cluster-event.ts';
import type { Plugin, PluginDefinition } from './plugin.ts';
import { pluginHandle } from './plugin-handle.ts';
import { type Consequence, type PluginFunction, resultRules } from './plugin-results.ts';
import { CycleError, failed, Status } from './status.ts';

/** Milliseconds that the synchronous functions of a plugin may take of one scheduling cycle. */
export const maxPluginCycleMs = 1_000;
/** Milliseconds after which an asynchronous function of a plugin fails, unless the plugin sets `timeoutMs`. */
export const pluginTimeoutMs = 30_000;

interface Guard {
  plugin: Plugin;
  clock: Clock;
  log: Logger;
}

type AnyFunction = (...args: unknown[]) => unknown;

/**
 * Returns a definition whose plugins cannot harm the scheduler by errors: what they throw and wrong results fail the cycle of the Pod, with
 * the name of the plugin; functions that take too long fail as well. A function that never returns ends the process, by its watchdog.
 */
export const guardPlugin = ({ name, create }: DefinedPlugin): PluginDefinition => ({
  name,
  create(args, handle) {
    const plugin: Plugin = { ...create(args, pluginHandle(handle)), name };
    const guard = { plugin, clock: handle.clock, log: handle.log };
    const functions = Object.keys(resultRules)
      .filter((method) => checkedMember(plugin, method as PluginFunction))
      .map((method) => [method, guarded(guard, method as PluginFunction)]);
    return {
      ...(Object.fromEntries(functions) as Partial<Plugin>),
      ...(plugin.events === undefined ? {} : { events: plugin.events.map((one) => guardHint(guard, one)) }),
      name,
    };
  },
});

/** Returns whether the plugin has a function. */
function checkedMember(plugin: Plugin, method: PluginFunction): boolean {
  const member: unknown = plugin[method];
  if (member === undefined || typeof member === 'function') return member !== undefined;
  throw new Error(`${method} is no function`);
}

const guarded = (guard: Guard, method: PluginFunction): AnyFunction =>
  resultRules[method].isAsync === undefined ? guardSync(guard, method) : guardAsync(guard, method);

function guardSync(guard: Guard, method: PluginFunction): AnyFunction {
  const { plugin, clock } = guard;
  const call = plugin[method] as AnyFunction;
  return (...args) => {
    const [cycle] = args;
    const start = clock.monotonic();
    try {
      const result = checkedResult(guard, method, call.apply(plugin, args));
      if (cycle instanceof Cycle) spend(cycle, plugin.name, clock.monotonic() - start);
      return result;
    } catch (error) {
      return consequenceOf(guard, method, error);
    }
  };
}

function spend(cycle: Cycle, name: string, milliseconds: number): void {
  const sum = cycle.spend(name, milliseconds);
  if (sum > maxPluginCycleMs)
    throw new Error(`took ${Math.round(sum)} ms of the cycle, more than ${maxPluginCycleMs} ms`);
}

function guardAsync(guard: Guard, method: PluginFunction): AnyFunction {
  const { plugin, clock } = guard;
  const call = plugin[method] as AnyFunction;
  const timeoutMs = plugin.timeoutMs ?? pluginTimeoutMs;
  return async (...args) => {
    const { signal } = args[0] as Cycle;
    const ending = new AbortController();
    const late = clock.sleep(timeoutMs, AbortSignal.any([signal, ending.signal])).then(() => {
      throw new Error(`${method} did not end in ${timeoutMs / 1000} s`);
    });
    late.catch(() => undefined);
    try {
      const result = await Promise.race([Promise.resolve(call.apply(plugin, args)), late]);
      return checkedResult(guard, method, result);
    } catch (error) {
      return consequenceOf(guard, method, error);
    } finally {
      ending.abort();
    }
  };
}

/** Returns a result of the plugin; a status gets its name. Throws an Error for other values. */
function checkedResult({ plugin: { name } }: Guard, method: PluginFunction, returned: unknown): unknown {
  const result = returned ?? undefined;
  const { accepts, expected } = resultRules[method];
  if (result instanceof Promise) {
    result.catch(() => undefined);
    throw new Error(`${method} returned a promise: only postFilter, preBind and bind can be asynchronous`);
  }
  if (!accepts(result)) throw new Error(`${method} returned ${described(result)} instead of ${expected}`);
  if (!(result instanceof Status) || result.plugin === name) return result;
  // Two plugins may share a status.
  return new Status(result.code, result.reasons, name);
}

function described(value: unknown): string {
  if (typeof value === 'object' && value !== null) return `an object with ${Object.keys(value).join(', ')}`;
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 100)) : String(value);
}

const namesOfPoints: ReadonlySet<PluginFunction> = new Set(['addPod', 'removePod', 'preBindPreFlight']);

function consequenceOf({ plugin, log }: Guard, method: PluginFunction, error: unknown): unknown {
  const message = error instanceof Error ? error.message : String(error);
  log.error('a plugin failed', {
    plugin: plugin.name,
    function: method,
    error: error instanceof Error ? (error.stack ?? message) : message,
  });
  const { consequence } = resultRules[method] as { consequence: Consequence };
  if (consequence === 'refuse') return failed(message);
  if (consequence === 'log') return method === 'less' ? false : undefined;
  // The framework adds the plugin and its extension point, except for functions without a point.
  const where = namesOfPoints.has(method) ? `running ${method} of plugin "${plugin.name}": ` : '';
  throw new CycleError(`${where}${message}`, { cause: error });
}

/** A hint that fails counts as one that says yes. */
function guardHint(guard: Guard, registration: EventRegistration): EventRegistration {
  const hint = registration.hint?.bind(registration) as AnyFunction | undefined;
  if (hint === undefined) return registration;
  return {
    ...registration,
    hint(...what: unknown[]) {
      try {
        return Boolean(hint(...what));
      } catch (error) {
        guard.log.error('a plugin failed', {
          plugin: guard.plugin.name,
          function: 'hint',
          error: String(error),
        });
        return true;
      }
    },
  };
}
