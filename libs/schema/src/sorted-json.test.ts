import { describe, expect, it } from 'vitest';
import { finish } from '@annex/machinery';
import { isSortedJson, isSortedJsonInPasses, sortedJson, sortedJsonInPasses } from './sorted-json.ts';

describe('sortedJson', () => {
  const cases: { name: string; text: string; sorted: string }[] = [
    { name: 'sorts the keys of objects', text: '{"b":1,"a":2}', sorted: '{"a":2,"b":1}' },
    { name: 'sorts below objects', text: '{"a":{"d":1,"c":2}}', sorted: '{"a":{"c":2,"d":1}}' },
    { name: 'sorts below lists', text: '[1,{"b":1,"a":2}]', sorted: '[1,{"a":2,"b":1}]' },
    { name: 'keeps the order of lists', text: '[2,1]', sorted: '[2,1]' },
    { name: 'compares code units', text: '{"a":1,"B":2}', sorted: '{"B":2,"a":1}' },
    {
      name: 'keeps __proto__',
      text: '{"a":1,"__proto__":{"b":1,"a":2}}',
      sorted: '{"__proto__":{"a":2,"b":1},"a":1}',
    },
    { name: 'copies what is sorted', text: '{"a":{"b":[]}}', sorted: '{"a":{"b":[]}}' },
  ];
  it.each(cases)('$name', ({ text, sorted }) => {
    const value = JSON.parse(text);
    const result = sortedJson(value);
    expect(JSON.stringify(result)).toBe(sorted);
    expect(result).not.toBe(value);
    expect(JSON.stringify(finish(sortedJsonInPasses(value)))).toBe(sorted);
    expect([isSortedJson(value), isSortedJson(result)]).toEqual([text === sorted, true]);
    expect([value, result].map((v) => finish(isSortedJsonInPasses(v)))).toEqual([text === sorted, true]);
  });

  it('looks at a large value in passes', () => {
    const many = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`k${10_000 + i}`, i]));
    expect([...isSortedJsonInPasses({ a: many })].length).toBeGreaterThan(2);
    expect(finish(isSortedJsonInPasses({ a: many }))).toBe(true);
    expect(finish(isSortedJsonInPasses({ a: { ...many, b: 1 } }))).toBe(false);
  });
});
