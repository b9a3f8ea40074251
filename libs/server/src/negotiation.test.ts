import { describe, expect, it } from 'vitest';
import { acceptedErrorType, negotiate } from './negotiation.ts';

const custom = { custom: true, protobuf: false };
const builtin = { custom: false, protobuf: true };
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
      'a type less wanted than another',
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

  it('writes built-in kinds as protobuf where asked', () => {
    expect(negotiate('application/vnd.kubernetes.protobuf', builtin).encoding).toBe(
      'application/vnd.kubernetes.protobuf',
    );
  });

  it('refuses with the text of custom resources', () => {
    expect(() => negotiate('application/xml', custom)).toThrow(
      'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    );
  });

  it('refuses with the text of built-in kinds', () => {
    expect(() => negotiate('text/html', builtin)).toThrow(
      '406: Not Acceptable\n\nAvailable representations: application/json',
    );
  });
});

it('writes errors in the first encoding that is accepted, JSON where there is none', () => {
  expect(acceptedErrorType('application/vnd.kubernetes.protobuf')).toBe(
    'application/vnd.kubernetes.protobuf',
  );
  expect(acceptedErrorType('application/yaml')).toBe('application/yaml');
  expect(acceptedErrorType('text/html')).toBe('application/json');
  expect(acceptedErrorType(undefined)).toBe('application/json');
});
