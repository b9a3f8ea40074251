import { describe, expect, it } from 'vitest';
import { latencyAnnotations } from './latencies.ts';

const steps = ['authenticate', 'authorize', 'dispatch', 'store', 'encode'];
const times = [1000, 1000.25, 1002, 1100, 1500];

describe('latencyAnnotations', () => {
  it('returns nothing for a quick request', () => {
    expect(latencyAnnotations({ steps, times, startedAt: 1000 }, 1500)).toEqual({});
  });

  it('returns the latency of each layer of a slow request', () => {
    const admission = [
      { plugin: 'admit', name: 'a', ms: 30, outcome: 'allowed' },
      { plugin: 'admit', name: 'b', ms: 12.5, outcome: 'allowed' },
      { plugin: 'NamespaceLifecycle', outcome: 'allowed' },
    ];
    expect(latencyAnnotations({ steps, times, admission, startedAt: 999 }, 62_249)).toEqual({
      'apiserver.latency.k8s.io/authentication': '250µs',
      'apiserver.latency.k8s.io/authorization': '1.75ms',
      'apiserver.latency.k8s.io/etcd': '400ms',
      'apiserver.latency.k8s.io/mutating-webhook': '42.5ms',
      'apiserver.latency.k8s.io/total': '1m1.25s',
    });
  });
});
