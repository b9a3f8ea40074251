import type { HelperServer } from './helper-server.ts';
import { get, isObject, printScalar } from './paths.ts';
import { define } from './scalars.ts';

/** The values of the placeholders in a recording. */
export interface Values {
  /** The responses of earlier steps by ID. */
  steps: Map<string, unknown>;
  helpers: ReadonlyMap<string, HelperServer>;
}

/**
 * Returns a copy in which every `${…}` is replaced; a text that consists of one placeholder becomes the value
 * itself.
 */
export function substitute<T>(value: T, values: Values): T {
  return replace(value, values) as T;
}

function replace(value: unknown, values: Values): unknown {
  if (typeof value === 'string') {
    const whole = /^\$\{([^}]+)\}$/.exec(value)?.[1];
    if (whole !== undefined) return lookup(whole, values);
    return value.replaceAll(/\$\{([^}]+)\}/g, (_all, name: string) => printScalar(lookup(name, values)));
  }
  if (Array.isArray(value)) return value.map((item) => replace(item, values));
  if (!isObject(value) || JSON.isRawJSON(value)) return value;
  const result = {};
  for (const [name, item] of Object.entries(value))
    define(result, String(replace(name, values)), replace(item, values));
  return result;
}

function lookup(expression: string, { steps, helpers }: Values): unknown {
  const [root = '', first = '', ...rest] = expression.split('.');
  if (root === 'steps') return get(steps.get(first), expression.slice(`steps.${first}.`.length));
  if (root === 'big') return 'x'.repeat(Number(first));
  if (root !== 'server') return '';
  const helper = helpers.get(first);
  if (helper === undefined) throw new Error(`no server ${first}`);
  return rest[0] === 'calls' ? helper.calls.length : helper.values[rest[0] ?? ''];
}
