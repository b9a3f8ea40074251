import { describe, expect, it } from 'vitest';
import { listOptions } from './list-options.ts';

const parse = (query: string, watch = false) => listOptions(new URLSearchParams(query), watch);

describe('listOptions', () => {
  it.each([
    [
      'a match without a version',
      'resourceVersionMatch=Exact',
      false,
      'resourceVersionMatch is forbidden unless resourceVersion is provided',
    ],
    [
      'an exact match of 0',
      'resourceVersionMatch=Exact&resourceVersion=0',
      false,
      'resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    ],
    [
      'an unknown match',
      'resourceVersionMatch=Sometimes&resourceVersion=1',
      false,
      'Unsupported value: "Sometimes": supported values: "Exact", "NotOlderThan", ""',
    ],
    ['initial events of a list', 'sendInitialEvents=true', false, 'sendInitialEvents is forbidden for list'],
    [
      'a match of a watch',
      'resourceVersionMatch=NotOlderThan',
      true,
      'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    ],
    [
      'initial events without a match',
      'sendInitialEvents=true',
      true,
      'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    ],
    ['continue of a watch', 'continue=abc', true, 'continue is forbidden for watch'],
    ['a limit that is no number', 'limit=x', false, 'strconv.ParseInt: parsing "x": invalid syntax'],
    [
      'a version that is no number',
      'resourceVersion=abc',
      false,
      'strconv.ParseUint: parsing "abc": invalid syntax',
    ],
  ])('refuses %s', (_name, query, watch, message) => {
    expect(() => parse(query, watch)).toThrow(message);
  });

  it('takes a negative limit for none', () => {
    expect(parse('limit=-1').limit).toBe(0);
  });

  it('reads what informers send', () => {
    expect(parse('resourceVersion=0&limit=500&labelSelector=a%3Db')).toMatchObject({
      resourceVersion: 0,
      limit: 500,
      labelSelector: 'a=b',
    });
  });
});
