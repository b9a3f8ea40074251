import {
  parseFieldSelector,
  parseRequestTarget,
  SelectorError,
  StatusError,
  UrlError,
} from '@annex/machinery';
import { type FuzzTarget, latin1Text, orError, utf8Text } from '@annex/testkit';
import { isAggregatedRequested } from './discovery/accept.ts';
import { acceptClauses } from './encoding/accept.ts';
import { errorEncoding, negotiate, negotiateStream } from './encoding/negotiation.ts';
import { decodeContinue, encodeContinue } from './queries/continue-token.ts';
import { readListOptions, validateListOptions } from './queries/list-options.ts';
import { writeQuery } from './queries/write-query.ts';
import { exactName, parseRequestInfo } from '@annex/kinds';

const prefix = '/registry/pods/';
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'constructor'];

/** Go's sort is not stable for more clauses. */
const sortedClauses = 12;

export const fuzzTargets: FuzzTarget[] = [
  {
    name: 'request',
    seeds: [
      '\0/api/v1/namespaces/a/pods/b/log?follow=true',
      '\0/apis/apps/v1/watch/namespaces/a/deployments?fieldSelector=metadata.name%3Dx&watch=1',
      '\x04/apis/g/v1/widgets?labelSelector=a%3Db&limit=5&continue=x&resourceVersion=1&timeoutSeconds=3',
      '\x01/api/v1/namespaces/a/pods?dryRun=All&fieldManager=x&fieldValidation=Strict',
      '\0/healthz?verbose',
    ],
    dictionary: [
      '/api',
      '/apis',
      '/namespaces/',
      '/watch/',
      '/proxy',
      'labelSelector=',
      'fieldSelector=',
      'metadata.name%3D',
      'resourceVersionMatch=',
      'NotOlderThan',
      'Exact',
      'sendInitialEvents=',
      '&',
    ],
    maxBytes: 512,
    run(input) {
      const method = methods[(input[0] ?? 0) % methods.length]!;
      const target = orError(() => parseRequestTarget(method, latin1Text(input.subarray(1))), [UrlError]);
      if (target instanceof Error) return;
      const info = parseRequestInfo(method, target.path, target.query);
      if (info.fieldSelector !== '') {
        const selector = orError(() => parseFieldSelector(info.fieldSelector), [SelectorError]);
        if (!(selector instanceof Error)) exactName(selector);
      }
      for (const watch of [true, false]) {
        orError(() => validateListOptions(readListOptions(target.query, watch), watch), [StatusError]);
      }
      orError(() => writeQuery(target.query, 'CreateOptions', 'fuzz/1'), [StatusError]);
    },
  },
  {
    name: 'accept',
    go: 'accept',
    // Clauses without a type or a subtype are omitted here. An absent header accepts everything.
    deviates: (ours, expected) => ours === '*/*' || /(^| )\/|\/( |$)/.test(expected),
    seeds: [
      'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
      'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;q=0.9',
      'text/html, */*; q=0.2, application/vnd.kubernetes.protobuf;stream=watch',
      'application/*;q=0.1,*;q=.5',
    ],
    dictionary: [
      'application/json',
      'application/yaml',
      'as=Table',
      'as=PartialObjectMetadata',
      ';q=',
      '*/*',
      ',',
      ';',
    ],
    maxBytes: 512,
    run(input) {
      const accept = latin1Text(input);
      isAggregatedRequested(accept);
      errorEncoding(accept);
      for (const routed of [true, false]) {
        const forms = { routed, protobuf: routed, plain: true };
        orError(() => negotiate(accept, forms), [StatusError]);
        orError(() => negotiateStream(accept, forms), [StatusError]);
      }
      const types = acceptClauses(accept).map(({ type }) => type);
      return /^[\x20-\x7e]*$/.test(accept) && accept.split(',').length <= sortedClauses
        ? types.join(' ')
        : undefined;
    },
  },
  {
    name: 'continue-token',
    seeds: [
      encodeContinue({ revision: 5, startKey: `${prefix}a/b\0` }, prefix),
      encodeContinue({ revision: -1, startKey: `${prefix}é` }, prefix),
      ...['{"v":"meta.k8s.io/v1","rv":1,"start":"../x"}', '{"v":1}', '[]'].map((text) =>
        Buffer.from(text).toString('base64url'),
      ),
    ],
    maxBytes: 256,
    run(input) {
      for (const text of [utf8Text(input), Buffer.from(input).toString('base64url')]) {
        const token = orError(() => decodeContinue(text, prefix), [StatusError]);
        if (token instanceof Error) continue;
        if (!token.startKey.startsWith(prefix)) throw new Error(`the token leads to ${token.startKey}`);
      }
    },
  },
];
