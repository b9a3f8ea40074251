import { StatusError } from '@annex/machinery';
import { type FuzzTarget, orError } from '@annex/testkit';
import { decodeProtobuf, decodeWatchEvent, encodeProtobuf } from './protobuf.ts';

const objects = [
  { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', labels: { x: 'y' }, managedFields: [{ manager: 'm', fieldsV1: { 'f:a': {} } }] }, spec: { containers: [{ name: 'c', resources: { limits: { cpu: '1' } }, ports: [{ containerPort: 80 }] }] } }, // prettier-ignore
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'a' },
    spec: { replicas: 2, strategy: { rollingUpdate: { maxSurge: '25%' } } },
  },
  {
    apiVersion: 'v1',
    kind: 'List',
    metadata: {},
    items: [{ apiVersion: 'v1', kind: 'Secret', data: { a: 'aGk=' } }],
  },
  {
    apiVersion: 'meta.k8s.io/v1',
    kind: 'DeleteOptions',
    preconditions: { uid: 'x' },
  },
  {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {},
    spec: {
      versions: [
        {
          name: 'v1',
          schema: {
            openAPIV3Schema: {
              type: 'object',
              default: { a: 1 },
              properties: { a: { type: 'string' } },
            },
          },
        },
      ],
    },
  },
];

export const fuzzTargets: FuzzTarget[] = [
  {
    name: 'protobuf',
    // Behind the magic number.
    records: { format: 'protobuf', skip: 4 },
    seeds: objects.flatMap((object) => encodeProtobuf(object) ?? []),
    dictionary: [
      'k8s\0',
      '\x0a',
      '\x12',
      '\xff\xff\xff\xff\x0f',
      '\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01',
      'v1',
      'Pod',
      'apps/v1',
    ],
    maxBytes: 1024,
    run(input) {
      const bytes = Buffer.from(input);
      const object = orError(() => decodeProtobuf(bytes), [StatusError]);
      if (!(object instanceof Error)) encodeProtobuf(object as unknown as Record<string, unknown>);
    },
  },
  {
    name: 'protobuf-watch-event',
    records: { format: 'protobuf' },
    seeds: objects.flatMap((object) => {
      const encoded = encodeProtobuf(object);
      return encoded === undefined ? [] : [Buffer.concat([Buffer.from('\x0a\x05ADDED\x12'), encoded])];
    }),
    maxBytes: 512,
    run(input) {
      orError(() => decodeWatchEvent(Buffer.from(input)), [StatusError, Error, RangeError, SyntaxError]);
    },
  },
];
