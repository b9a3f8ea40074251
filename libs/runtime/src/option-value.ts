/** The types of option values. A repeated option has one value each time, which may contain commas; semicolons separate values, too. */
export type OptionType = 'string' | 'int' | 'bool' | 'duration' | 'list' | 'map' | 'path' | 'repeated';

/** A value, or the error of an invalid text. */
export type ReadValue = { value: unknown } | { problem: string };

const durationUnits = new Map(Object.entries({ ms: 1, s: 1000, m: 60_000, h: 3_600_000 }));

/** Parses the text of an option. */
export function readOptionValue(type: OptionType, text: string): ReadValue {
  switch (type) {
    case 'string':
    case 'path':
      return { value: text };
    case 'int': {
      const value = Number(text);
      return /^-?\d+$/.test(text) && Number.isSafeInteger(value)
        ? { value }
        : { problem: 'is not a whole number' };
    }
    case 'bool':
      return readBool(text);
    case 'duration':
      return readDuration(text);
    case 'list':
      return { value: Object.freeze(text === '' ? [] : text.split(',')) };
    case 'repeated':
      return { value: Object.freeze(text === '' ? [] : text.split(';')) };
    case 'map':
      return readMap(text);
  }
}

function readBool(text: string): ReadValue {
  const lower = text.toLowerCase();
  if (lower === 'true' || lower === '1') return { value: true };
  if (lower === 'false' || lower === '0') return { value: false };
  return { problem: 'is neither true nor false' };
}

function readDuration(text: string): ReadValue {
  if (text === '0') return { value: 0 };
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/.test(text)) {
    return { problem: 'is not a duration such as 500ms, 30s or 1h30m' };
  }
  let value = 0;
  for (const part of text.split(/(?<=[a-z])(?=\d)/)) {
    value += Number.parseFloat(part) * (durationUnits.get(part.replace(/^[\d.]+/, '')) ?? 0);
  }
  return { value };
}

function readMap(text: string): ReadValue {
  const entries = text === '' ? [] : text.split(',').map((entry) => entry.split(/=(.*)/s, 2));
  if (entries.some(([key, value]) => key === '' || value === undefined)) {
    return { problem: 'is not a list of key=value' };
  }
  return { value: Object.freeze(Object.fromEntries(entries)) };
}

/** Joins the values of a repeated list or map option. */
export function joinValues(before: unknown, value: unknown): unknown {
  if (Array.isArray(before)) return Object.freeze([...before, ...(value as unknown[])]);
  return Object.freeze({ ...(before as object), ...(value as object) });
}

/** Formats a value so that `readOptionValue` reads it back. */
export function printOptionValue(type: OptionType, value: unknown): string {
  if (value === undefined) return '';
  if (type === 'duration') return printDuration(value as number);
  if (type === 'list') return (value as string[]).join(',');
  if (type === 'repeated') return (value as string[]).join(';');
  if (type === 'map') {
    return Object.entries(value as object)
      .map(([key, item]) => `${key}=${String(item)}`)
      .join(',');
  }
  return String(value);
}

function printDuration(milliseconds: number): string {
  if (milliseconds === 0) return '0';
  for (const unit of ['h', 'm', 's']) {
    const size = durationUnits.get(unit) ?? 1;
    if (milliseconds % size === 0) return `${milliseconds / size}${unit}`;
  }
  return `${milliseconds}ms`;
}
