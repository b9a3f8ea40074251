import { describe, expect, it } from 'vitest';
import { errorEncoding, negotiate, negotiateStream, requireStream } from './negotiation.ts';

const custom = { routed: false, protobuf: false };
const builtin = { routed: true, protobuf: true };
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';

describe('negotiate', () => {
  it.each([
    ['nothing', undefined, 'application/json', 'object'],
    ['anything', '*/*', 'application/json', 'object'],
    ['any application type', 'application/*', 'application/json', 'object'],
    ['YAML', 'application/yaml', 'application/yaml', 'object'],
    ['what kubectl get sends', `${table},application/json`, 'application/json', 'Table'],
    [
      'an unknown Table version, then JSON',
      'application/json;as=Table;v=v7;g=meta.k8s.io,application/json',
      'application/json',
      'object',
    ],
    [
      'metadata only',
      'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
      'application/json',
      'PartialObjectMetadata',
    ],
    [
      'a type with a lower weight than another',
      'application/yaml;q=0.1,application/json',
      'application/json',
      'object',
    ],
    ['HTML, then anything', 'text/html,*/*;q=0.1', 'application/json', 'object'],
    [
      'protobuf, then JSON, of a custom resource',
      'application/vnd.kubernetes.protobuf,application/json',
      'application/json',
      'object',
    ],
  ])('%s', (_name, accept, encoding, as) => {
    expect(negotiate(accept, custom)).toMatchObject({ encoding, as });
  });

  it('selects protobuf for built-in kinds if requested', () => {
    expect(negotiate('application/vnd.kubernetes.protobuf', builtin).encoding).toBe(
      'application/vnd.kubernetes.protobuf',
    );
  });

  it('refuses with the message for custom resources', () => {
    expect(() => negotiate('application/xml', custom)).toThrow(
      'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    );
  });

  it('refuses with the message for built-in kinds', () => {
    expect(() => negotiate('text/html', builtin)).toThrow(
      '406: Not Acceptable\n\nAvailable representations: application/json',
    );
  });
});

it.each([
  ['metadata alone, of built-in kinds', builtin],
  ['metadata alone, of custom resources', custom],
])('writes %s as protobuf', (_what, endpoint) => {
  const accept = 'application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
  expect(negotiate(accept, endpoint)).toMatchObject({
    encoding: 'application/vnd.kubernetes.protobuf',
    as: 'PartialObjectMetadata',
  });
});

it('does not encode Tables as protobuf', () => {
  const accept = 'application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1';
  expect(() => negotiate(accept, builtin)).toThrow('only the following media types are accepted');
  expect(negotiate(`${accept},application/json`, builtin)).toMatchObject({ encoding: 'application/json' });
});

it('supports only the wildcard for all types for built-in kinds', () => {
  expect(() => negotiate('application/*', builtin)).toThrow('406: Not Acceptable');
});

it('supports JSON and protobuf for watches, but not YAML', () => {
  expect(negotiateStream('application/vnd.kubernetes.protobuf;stream=watch', builtin).encoding).toBe(
    'application/vnd.kubernetes.protobuf',
  );
  expect(() => requireStream(negotiateStream('application/yaml', builtin))).toThrow(
    'only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch',
  );
});

it('selects the first accepted encoding for errors, none if no encoding is accepted', () => {
  expect(errorEncoding('application/vnd.kubernetes.protobuf')).toBe('application/vnd.kubernetes.protobuf');
  expect(errorEncoding('application/yaml')).toBe('application/yaml');
  expect(errorEncoding('text/html')).toBeUndefined();
  expect(errorEncoding('application/json;as=Table;g=meta.k8s.io;v=v1')).toBeUndefined();
  expect(errorEncoding(undefined)).toBe('application/json');
});
