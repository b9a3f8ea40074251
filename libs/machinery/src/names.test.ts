import { describe, expect, test } from 'vitest';
import * as names from './names.ts';

const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const namePart =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

describe('names are validated with the errors of kube-apiserver', () => {
  test.each<[string, names.Check, string, string[]]>([
    ['a label', names.validateDns1123Label, 'my-name', []],
    ['a label with dots', names.validateDns1123Label, 'a.b', ['must not contain dots']],
    ['a label in capitals', names.validateDns1123Label, 'A', [label]],
    ['a long label', names.validateDns1123Label, 'a'.repeat(64), ['must be no more than 63 characters']],
    ['a subdomain', names.validateDns1123Subdomain, 'a.b-c.d', []],
    ['a subdomain with a line end', names.validateDns1123Subdomain, 'a\n', [subdomain]],
    [
      'a long subdomain',
      names.validateDns1123Subdomain,
      'a'.repeat(254),
      ['must be no more than 253 characters'],
    ],
    ['a qualified name', names.validateQualifiedName, 'ex.com/A_b.c', []],
    ['an empty qualified name', names.validateQualifiedName, '', ['name part must be non-empty', namePart]],
    ['a prefix without a name', names.validateQualifiedName, 'a/', ['name part must be non-empty', namePart]],
    ['a bad prefix', names.validateQualifiedName, 'A/b', [`prefix part ${subdomain}`]],
    ['a long name', names.validateQualifiedName, 'k'.repeat(64), ['name part must be no more than 63 bytes']],
    ['an empty label value', names.validateLabelValue, '', []],
    ['a long label value', names.validateLabelValue, 'v'.repeat(64), ['must be no more than 63 bytes']],
    ['a path segment', names.validatePathSegmentName, 'a:b c', []],
    ['the parent folder', names.validatePathSegmentName, '..', ["may not be '..'"]],
    ['a path', names.validatePathSegmentName, 'a/%', ["may not contain '/'", "may not contain '%'"]],
    ['a key above its folder', names.validateConfigMapKey, '..a', ["must not start with '..'"]],
    ['a port', names.validatePortName, 'a--b', ['must not contain consecutive hyphens']],
  ])('%s', (_what, check, value, errors) => expect(check(value)).toEqual(errors));

  test('a label key with two slashes', () => {
    expect(names.validateQualifiedName('a/b/c')).toEqual([
      `a valid label key ${namePart.slice('name part '.length)} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ]);
  });
});

test('a generated name may end with a dash', () => {
  expect(names.nameIsDnsSubdomain('gen-', true)).toEqual([]);
  expect(names.nameIsDnsSubdomain('gen-', false)).toEqual([subdomain]);
  expect(names.nameIsPathSegment('..', true)).toEqual([]);
});

test('hostile names take linear time', () => {
  for (const check of [
    names.validateDns1123Subdomain,
    names.validateQualifiedName,
    names.validateLabelValue,
  ]) {
    expect(check(`${'a-'.repeat(100_000)}!`).length).toBeGreaterThan(0);
  }
});
