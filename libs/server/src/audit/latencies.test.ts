import { describe, expect, it } from 'vitest';
import { latencyAnnotations } from './latencies.ts';

const marks = ['authenticate', 1000, 'authorize', 1000.25, 'dispatch', 1002, 'store', 1100, 'encode', 1500];

describe('latencyAnnotations', () => {
  it('says nothing of a request that was quick', () => {
    expect(latencyAnnotations({ marks, startedAt: 1000 }, 1500)).toEqual({});
  });

  it('says where the time of a slow request went', () => {
    const admission = [
      { plugin: 'admit', name: 'a', ms: 30, outcome: 'allowed' },
      { plugin: 'admit', name: 'b', ms: 12.5, outcome: 'allowed' },
      { plugin: 'NamespaceLifecycle', outcome: 'allowed' },
    ];
    expect(latencyAnnotations({ marks, admission, startedAt: 999 }, 62_249)).toEqual({
      'apiserver.latency.k8s.io/authentication': '250µs',
      'apiserver.latency.k8s.io/authorization': '1.75ms',
      'apiserver.latency.k8s.io/etcd': '400ms',
      'apiserver.latency.k8s.io/mutating-webhook': '42.5ms',
      'apiserver.latency.k8s.io/total': '1m1.25s',
    });
  });
});
