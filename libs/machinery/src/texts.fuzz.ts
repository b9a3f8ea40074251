import { bothRefuse, type FuzzTarget, goJson, orError, utf8Text } from '@annex/testkit';
import { readDuration } from './go/duration.ts';
import { parseFieldSelector } from './fields.ts';
import { IpAddress, IpAddressError } from './ip-address.ts';
import { parseLabelSelector } from './labels/parser.ts';
import { SelectorError } from './labels/requirements.ts';
import {
  nameIsDnsSubdomain,
  validateCIdentifier,
  validateConfigMapKey,
  validateDns1035Label,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateHttpHeaderName,
  validateLabelValue,
  validateQualifiedName,
  validateWildcardDns1123Subdomain,
} from './names.ts';
import { Quantity, QuantityError } from './quantity.ts';
import { parseTime } from './time.ts';

/** Go's error texts with invalid UTF-8 differ: here a text is decoded before it is parsed. */
const isUtf8 = (input: Uint8Array): boolean => Buffer.from(utf8Text(input)).equals(Buffer.from(input));

/** Go sorts requirements of one key in no particular order. */
const inOneOrder = (selector: string): string => selector.split(',').sort().join(',');

const outcome = (value: unknown): string =>
  value instanceof Error ? `error: ${value.message}` : String(value);

export const fuzzTargets: FuzzTarget[] = [
  {
    name: 'duration',
    go: 'duration',
    seeds: ['1h', '34s', '-1.5h', '1h15m30.918273645s', '.5s', '0', '+5us', '9223372036854775807ns', '2562047h47m16.854775807s', '3000000h', ''], // oxfmt-ignore
    dictionary: ['ns', 'us', 'µs', 'μs', 'ms', 's', 'm', 'h'],
    maxBytes: 128,
    run(input) {
      if (!isUtf8(input)) return undefined;
      const read = readDuration(utf8Text(input));
      return 'error' in read ? `error: ${read.error}` : String(read.nanoseconds);
    },
  },
  {
    name: 'quantity',
    go: 'quantity',
    seeds: ['1', '-1.5Gi', '100m', '1e3', '12E', '1Ei', '0.000000001', '9223372036854775807', '1.5e-9', '1n', '5Ki', '+.5', '1e1001'], // oxfmt-ignore
    dictionary: ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'P', 'E', 'e', '.'],
    maxBytes: 64,
    run(input) {
      const text = utf8Text(input);
      const parsed = orError(() => Quantity.parse(text), [QuantityError]);
      if (parsed instanceof Quantity) parsed.add(parsed).compare(parsed);
      // Go's parser computes powers of ten of any size.
      return isUtf8(input) && !/e[-+]?\d{3}/i.test(text) ? outcome(parsed) : undefined;
    },
  },
  {
    name: 'label-selector',
    go: 'label-selector',
    deviates: (actual, expected, input) =>
      bothRefuse(actual, expected, input) || inOneOrder(actual) === inOneOrder(expected),
    seeds: ['a=b', 'x in (a,b),!y', 'z notin ()', 'x>1,y<-2', 'a.b/c==d', 'app,', 'a in (,)', '!a,a!=b'],
    dictionary: ['in', 'notin', '==', '!=', '=', '!', '(', ')', ',', '>', '<'],
    maxBytes: 256,
    run(input) {
      if (!isUtf8(input)) return undefined;
      const selector = orError(() => parseLabelSelector(utf8Text(input)), [SelectorError]);
      if (!(selector instanceof Error)) selector.matches({ a: 'b', x: '1' });
      return outcome(selector);
    },
  },
  {
    name: 'field-selector',
    go: 'field-selector',
    deviates: bothRefuse,
    seeds: ['metadata.name=a', 'a=b,c!=d', 'a==\\,b', 'x=\\\\', 'a=b\\', ',,', 'a!=='],
    dictionary: ['==', '!=', '=', '\\,', '\\=', '\\\\', 'metadata.name', 'metadata.namespace'],
    maxBytes: 256,
    run(input) {
      if (!isUtf8(input)) return undefined;
      const selector = orError(() => parseFieldSelector(utf8Text(input)), [SelectorError]);
      if (!(selector instanceof Error)) selector.matches(() => 'a');
      return outcome(selector);
    },
  },
  {
    name: 'ip-address',
    go: 'ip-address',
    deviates: bothRefuse,
    seeds: [
      '1.2.3.4',
      '::1',
      'fe80::1%eth0',
      '::ffff:1.2.3.4',
      '1:2:3:4:5:6:7:8',
      '01.2.3.4',
      '256.1.1.1',
      '::',
      '%',
    ],
    dictionary: ['::', '%', 'ffff', '255', '.', ':'],
    maxBytes: 96,
    run(input) {
      if (!isUtf8(input)) return undefined;
      return outcome(orError(() => IpAddress.parse(utf8Text(input)), [IpAddressError]));
    },
  },
  {
    name: 'time',
    go: 'time',
    seeds: ['2026-11-22T15:00:00Z', '2024-02-29T23:59:59.123456789+01:30', '0000-01-01T00:00:00Z', '2023-02-29T00:00:00Z'], // oxfmt-ignore
    maxBytes: 64,
    run: (input) => String(parseTime(utf8Text(input)) ?? 'error'),
  },
  {
    name: 'names',
    go: 'names',
    seeds: [
      'a',
      'a-b.c',
      '*.example.com',
      'example.com/name',
      'A_b.c',
      '-a',
      'a..b',
      '',
      'x'.repeat(64),
      'a/b/c',
      '..data',
    ],
    maxBytes: 300,
    run(input) {
      if (!isUtf8(input)) return undefined;
      const text = utf8Text(input);
      nameIsDnsSubdomain(text, true);
      const checks = [
        validateDns1123Subdomain,
        validateDns1123Label,
        validateDns1035Label,
        validateWildcardDns1123Subdomain,
        validateQualifiedName,
        validateLabelValue,
        validateConfigMapKey,
        validateCIdentifier,
        validateHttpHeaderName,
      ];
      const found = checks.map((check) => check(text));
      // Go returns nil if there is no error.
      return goJson(found.map((errors) => (errors.length === 0 ? null : errors)));
    },
  },
];
