import { getOwn, isObject, type JsonObject, type KubeObject } from '@annex/machinery';
import type { FieldSelectors } from '../../shared/selectable-fields.ts';

const text = (object: KubeObject, ...path: string[]): string => {
  let value: unknown = object;
  for (const name of path) value = isObject(value) ? getOwn(value as JsonObject, name) : undefined;
  return value === undefined || value === null ? '' : String(value);
};

const about = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];

type Selectable = [label: string, value: (event: KubeObject) => string];

const selectable = (label: string, ...path: string[]): Selectable => [label, (event) => text(event, ...path)];

const source = (event: KubeObject): string =>
  text(event, 'source', 'component') || text(event, 'reportingComponent');

/** The field selectors of the events of a group. */
export function eventSelectors(group: '' | 'events.k8s.io'): FieldSelectors {
  const field = group === '' ? 'involvedObject' : 'regarding';
  const reporter = group === '' ? 'reportingComponent' : 'reportingController';
  return new Map([
    ...about.map((name) => selectable(`${field}.${name}`, field, name)),
    selectable('reason', 'reason'),
    selectable('type', 'type'),
    selectable(reporter, reporter),
    ...(group === '' ? [['source', source] as const] : []),
  ]);
}
