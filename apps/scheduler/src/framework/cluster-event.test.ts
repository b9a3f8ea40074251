import { expect, it } from 'vitest';
import { aPod } from '../cycle/decision.fixture.ts';
import { PodInfo } from '../objects/pod-info.ts';
import { podChanges } from '../queue/pod-changes.ts';
import { clusterEvent } from './cluster-event.ts';

it.each([
  [clusterEvent('Node', 'Add'), 'NodeAdd'],
  [clusterEvent('Node', 'UpdateNodeTaint'), 'NodeUpdateNodeTaint'],
  [clusterEvent('PersistentVolumeClaim', 'Update'), 'PersistentVolumeClaimUpdate'],
  [clusterEvent('CSINode', 'Update'), 'storage.k8s.io/CSINodeUpdate'],
  [clusterEvent('DeviceClass', 'Add'), 'resource.k8s.io/DeviceClassAdd'],
])('metrics name events as kube-scheduler: $1', ({ label }, expected) => {
  expect(label).toBe(expected);
});

it.each([
  ['n1', 'AssignedPodUpdatePodLabel'],
  ['', 'UnschedulablePodUpdatePodLabel'],
])('changed labels of a Pod on the node %j are the event %s', (nodeName, label) => {
  const [before, after] = [aPod('p', { nodeName }), aPod('p', { nodeName }, { a: 'b' })];
  expect(podChanges(new PodInfo(before), new PodInfo(after)).map((event) => event.label)).toEqual([label]);
});
