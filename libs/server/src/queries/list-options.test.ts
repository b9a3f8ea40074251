import { parseQuery } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { parseVersion, readListOptions, validateListOptions } from './list-options.ts';

const parse = (query: string, watch = false) => {
  const options = readListOptions(parseQuery(query), watch);
  validateListOptions(options, watch);
  return options;
};

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
    [
      'continue of a watch with initial events',
      'continue=abc',
      true,
      'resourceVersionMatch is forbidden when continue is provided',
    ],
    [
      'a match with continue',
      'continue=abc&resourceVersionMatch=NotOlderThan&resourceVersion=0',
      false,
      'resourceVersionMatch is forbidden when continue is provided',
    ],
    ['an empty limit', 'limit=', false, 'strconv.ParseInt: parsing "": invalid syntax'],
    [
      'a limit beyond int64',
      'limit=9223372036854775808',
      false,
      'strconv.ParseInt: parsing "9223372036854775808": value out of range',
    ],
    ['a limit that is not a number', 'limit=x', false, 'strconv.ParseInt: parsing "x": invalid syntax'],
  ])('refuses %s', (_name, query, watch, message) => {
    expect(() => parse(query, watch)).toThrow(message);
  });

  it('reads a negative limit as no limit', () => {
    expect(parse('limit=-1').limit).toBe(0);
  });

  it('reads the options of informers', () => {
    expect(parse('resourceVersion=0&limit=500&labelSelector=a%3Db')).toMatchObject({
      resourceVersion: '0',
      limit: 500,
      labelSelector: 'a=b',
    });
  });

  it('starts a watch without a resourceVersion with initial events', () => {
    const initial = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' };
    expect(parse('', true)).toMatchObject(initial);
    expect(parse('resourceVersion=0', true)).toMatchObject(initial);
    expect(parse('resourceVersion=7', true).sendInitialEvents).toBeUndefined();
  });
});

describe('parseVersion', () => {
  it('reads revisions up to the end of uint64', () => {
    expect(parseVersion('')).toBeUndefined();
    expect(parseVersion('018')).toBe(18n);
    expect(parseVersion('18446744073709551615')).toBe(18446744073709551615n);
  });

  it.each([
    ['abc', 'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax'],
    ['-1', 'resourceVersion: Invalid value: "-1": strconv.ParseUint: parsing "-1": invalid syntax'],
    [
      '18446744073709551616',
      'resourceVersion: Invalid value: "18446744073709551616": strconv.ParseUint: parsing "18446744073709551616": value out of range',
    ],
  ])('refuses %s', (text, message) => {
    expect(() => parseVersion(text)).toThrow(message);
  });
});
