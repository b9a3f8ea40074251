import {
  CompileError,
  deviceEnvironment,
  EvaluationError,
  kubernetesEnvironment,
  maxSelectorCost,
  Program,
  types,
  type Value,
} from '@annex/cel';
import { DomainMap } from './domain-map.ts';
import type { Device, DeviceAttribute, DeviceSelector } from '../../objects/devices.ts';

const parsing = kubernetesEnvironment.extend({ variables: [{ name: 'text', type: types.string }] });

const program = (expression: string, of = deviceEnvironment): Program =>
  new Program(of.compile(expression), of, { costLimit: maxSelectorCost });

/** Quantities and versions are values of the language's libraries. */
const quantity = program('quantity(text)', parsing);
const version = program('semver(text)', parsing);

// Selectors repeat in all requests of a class.
const rememberedPrograms = 1_000;
const programs = new Map<string, Program | string>();

function compiledSelector(expression: string): Program | string {
  const found = programs.get(expression);
  if (found !== undefined) return found;
  if (programs.size >= rememberedPrograms) programs.clear();
  let compiled: Program | string;
  try {
    compiled = program(expression);
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    compiled = `CEL compile error: ${error.message}`;
  }
  programs.set(expression, compiled);
  return compiled;
}

/** Returns whether a device matches all selectors. Throws an Error for an expression that fails; it names the owner of the selectors. */
export function matchesSelectors(
  selectors: readonly DeviceSelector[],
  driver: string,
  device: Device,
  owner: string,
): boolean {
  if (selectors.length === 0) return true;
  const variables = { device: valueOf(driver, device) };
  return selectors.every(({ cel }, index) => {
    const at = `${owner}: selector #${index}`;
    if (cel === undefined) throw new Error(`${at}: CEL expression empty (unsupported selector type?)`);
    const compiled = compiledSelector(cel.expression);
    if (typeof compiled === 'string') throw new Error(`${at}: ${compiled}`);
    try {
      return asBoolean(compiled.evaluate(variables).value);
    } catch (error) {
      if (!(error instanceof EvaluationError) && !(error instanceof ResultError)) throw error;
      throw new Error(`${at}: CEL runtime error: ${error.message}`, { cause: error });
    }
  });
}

class ResultError extends Error {}

function asBoolean(result: Value): boolean {
  if (typeof result === 'boolean') return result;
  const isText = typeof result === 'string';
  const type = isText ? 'string' : 'int';
  const problem = isText
    ? "unsupported native conversion from string to 'bool'"
    : "unsupported type conversion from 'int' to bool";
  throw new ResultError(`CEL result of type ${type} could not be converted to bool: ${problem}`);
}

const values = new WeakMap<Device, Value>();

function valueOf(driver: string, device: Device): Value {
  const known = values.get(device);
  if (known !== undefined) return known;
  const value = deviceValue(driver, device);
  values.set(device, value);
  return value;
}

const deviceValue = (
  driver: string,
  { attributes = {}, capacity = {}, allowMultipleAllocations = false }: Device,
): Value => ({
  driver,
  allowMultipleAllocations,
  attributes: byDomain(driver, Object.entries(attributes), attributeValue),
  capacity: byDomain(
    driver,
    Object.entries(capacity),
    ({ value }) => quantity.evaluate({ text: value }).value,
  ),
});

/** Names without a domain are in that of the driver. */
function byDomain<T>(
  driver: string,
  entries: readonly (readonly [string, T])[],
  valueOfEntry: (value: T) => Value,
): Value {
  const domains = new Map<string, Map<string, Value>>();
  for (const [key, value] of entries) {
    const slash = key.indexOf('/');
    const domain = slash < 0 ? driver : key.slice(0, slash);
    const members = domains.get(domain) ?? new Map<string, Value>();
    domains.set(domain, members.set(key.slice(slash + 1), valueOfEntry(value)));
  }
  return new DomainMap(
    new Map([...domains].map(([domain, members]) => [domain, Object.fromEntries(members)])),
  );
}

function attributeValue({ string, int, bool, version: text }: DeviceAttribute): Value {
  if (text !== undefined) return version.evaluate({ text }).value;
  return string ?? int ?? bool ?? null;
}

/** Returns the type and the value of an attribute by its name with the domain; `undefined` without it. */
export function attributeOf(name: string, driver: string, { attributes = {} }: Device): string | undefined {
  const all = new Map(Object.entries(attributes));
  const own = name.startsWith(`${driver}/`) ? all.get(name.slice(driver.length + 1)) : undefined;
  const found = all.get(name) ?? own;
  return found === undefined ? undefined : JSON.stringify(found);
}
