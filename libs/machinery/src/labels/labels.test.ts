import { describe, expect, test } from 'vitest';
import { finish } from '../passes.ts';
import { LabelSelector } from './label-selector.ts';
import { parseLabelSelector } from './parser.ts';
import { compileLabelSelector, compileLabelSelectorInPasses } from './selector-objects.ts';

const valueError =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

describe('a label selector is read and printed again', () => {
  test.each([
    ['', ''],
    ['b=1,a==2', 'a==2,b=1'],
    ['a!=b', 'a!=b'],
    ['a in (y, x ,x)', 'a in (x,y)'],
    ['a notin (x)', 'a notin (x)'],
    ['a in ()', 'a in ()'],
    ['a in (,x)', 'a in (,x)'],
    ['a=,!b,c', 'a=,!b,c'],
    ['a>1,b<2', 'a>1,b<2'],
    ['in=in,notin in (in)', 'in=in,notin in (in)'],
    ['ex.com/a\t=\nb', 'ex.com/a=b'],
    ['a\0in\0(\0x\0)', 'a in (x)'],
    ['a \0=b', 'a'],
  ])('%j', (text, printed) => expect(parseLabelSelector(text).toString()).toBe(printed));
});

describe('an invalid selector has the error of kube-apiserver', () => {
  test.each([
    ['a,,b', "found ',', expected: identifier after ','"],
    ['=x', "found '=', expected: !, identifier, or 'end of string'"],
    ['a=b c', "found 'c', expected: ',' or 'end of string'"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a in x', "unable to parse requirement: found 'x' expected: '('"],
    ['a in (x', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['a in (x y)', "unable to parse requirement: found 'y', expected: ',' or ')'"],
    ['a\0(', "unable to parse requirement: found '(', expected: in, notin, =, ==, !=, gt, lt"],
    ['x=(', "unable to parse requirement: found '(', expected: identifier"],
    ['!x=1', "found '=', expected: ',' or 'end of string'"],
    [
      'a>x',
      `unable to parse requirement: values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
    ['app=%', `unable to parse requirement: values[0][app]: Invalid value: "%": ${valueError}`],
    ['/a', 'unable to parse requirement: <nil>: Invalid value: "/a": prefix part must be non-empty'],
  ])('%j', (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(new Error(message));
  });
});

describe('labels match', () => {
  const labels = { app: 'web', tier: 'front', n: '7' };
  test.each([
    ['app=web', true],
    ['app!=web', false],
    ['other!=web', true],
    ['app in (db,web)', true],
    ['app notin (db)', true],
    ['other notin (db)', true],
    ['tier', true],
    ['!tier', false],
    ['n>6,n<8', true],
    ['n>7', false],
    ['app>1', false],
    ['toString', false],
    ['constructor!=x', true],
  ])('%j: %s', (text, expected) => {
    expect(parseLabelSelector(text).matches(labels)).toBe(expected);
  });

  test('an object without labels matches a selector that requires none', () => {
    expect(parseLabelSelector('!a').matches(undefined)).toBe(true);
    expect(parseLabelSelector('a').matches(undefined)).toBe(false);
  });
});

describe('a LabelSelector object', () => {
  test('without a value matches nothing, and empty matches everything', () => {
    expect(compileLabelSelector(undefined).matches({})).toBe(false);
    expect(compileLabelSelector({})).toBe(LabelSelector.everything);
  });

  test.each([2, 2000])('of %d labels and expressions is the same when it is compiled in passes', (count) => {
    const selector = {
      matchLabels: Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'v'])),
      matchExpressions: [
        { key: 'k10', operator: 'In', values: ['b', 'a'] },
        { key: 'a', operator: 'Exists' },
      ],
    };
    expect(finish(compileLabelSelectorInPasses(selector))).toEqual(compileLabelSelector(selector));
    const passes = [...compileLabelSelectorInPasses(selector)].length;
    expect(passes > 3).toBe(count > 2);
    const invalid = { ...selector, matchExpressions: [{ key: 'a', operator: 'Like' }] };
    expect(() => finish(compileLabelSelectorInPasses(invalid))).toThrow('"Like" is not a valid');
    expect(finish(compileLabelSelectorInPasses(undefined))).toBe(LabelSelector.nothing);
  });

  test('joins labels and expressions', () => {
    const selector = compileLabelSelector({
      matchLabels: { a: '1' },
      matchExpressions: [
        { key: 'b', operator: 'In', values: ['x', 'y'] },
        { key: 'c', operator: 'DoesNotExist' },
      ],
    });
    expect(selector.toString()).toBe('a=1,b in (x,y),!c');
  });

  test('with an unknown operator is refused', () => {
    const selector = { matchExpressions: [{ key: 'b', operator: 'Like' }] };
    expect(() => compileLabelSelector(selector)).toThrow('"Like" is not a valid label selector operator');
  });
});
