import { expect, it } from 'vitest';
import { builtinKinds, customBehavior, type ResourceKind } from '@annex/kinds';
import { goTypeOf } from './go-type.ts';

const [{ behavior }] = builtinKinds() as [ResourceKind];

it.each([
  ['', 'Pod', '*core.Pod'],
  ['apps', 'DeploymentList', '*apps.DeploymentList'],
  ['events.k8s.io', 'EventList', '*core.EventList'],
  ['rbac.authorization.k8s.io', 'ClusterRoleList', '*rbac.ClusterRoleList'],
  ['flowcontrol.apiserver.k8s.io', 'FlowSchema', '*flowcontrol.FlowSchema'],
  ['apps', 'Scale', '*autoscaling.Scale'],
])('errors name the Go type of %s %s as %s', (group, name, expected) => {
  expect(goTypeOf({ behavior, group }, name)).toBe(expected);
});

it('errors name the Go type of custom resources', () => {
  const kind = { behavior: customBehavior, group: 'example.com' };
  expect(goTypeOf(kind, 'Foo')).toBe('*unstructured.Unstructured');
  expect(goTypeOf(kind, 'FooList', true)).toBe('*unstructured.UnstructuredList');
  expect(goTypeOf(kind, 'Scale')).toBe('*v1.Scale');
});
