import { expect, it } from 'vitest';
import { aPod } from '../cycle/decision.fixture.ts';
import type { Pod } from '../objects/pod.ts';
import { PodInfo } from '../objects/pod-info.ts';
import { renderPodResources } from './pod-resources.ts';

const valuesOf = async (...pods: Pod[]): Promise<string[]> => {
  const { body } = await renderPodResources(pods.map((pod) => new PodInfo(pod)));
  return body.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
};

it('requests and limits of Pods, with overhead on limits that exist', async () => {
  const resources = { requests: { cpu: '500m', memory: '1Gi' }, limits: { memory: '2Gi' } };
  const pod = aPod('p', {
    nodeName: 'n1',
    priority: 10,
    overhead: { cpu: '100m', memory: '1Gi' },
    containers: [{ name: 'c', resources }],
  });
  const of = (resource: string, unit: string): string =>
    `{namespace="default",node="n1",pod="p",priority="10",resource="${resource}",scheduler="default-scheduler",unit="${unit}"}`;
  expect((await valuesOf(pod)).toSorted()).toEqual([
    `kube_pod_resource_limit${of('memory', 'bytes')} ${3 * 2 ** 30}`,
    `kube_pod_resource_request${of('cpu', 'cores')} 0.6`,
    `kube_pod_resource_request${of('memory', 'bytes')} ${2 * 2 ** 30}`,
  ]);
});

it('Pods that have ended do not count', async () => {
  const pod = aPod('p', { nodeName: 'n1', requests: { cpu: '1' } });
  expect(await valuesOf({ ...pod, status: { phase: 'Succeeded' } })).toEqual([]);
});
