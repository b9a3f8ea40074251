import type { KubeObject } from '@annex/machinery';
import type { StorageKind } from '../resource-kind.ts';

/**
 * The renamed fields of `events.k8s.io/v1`, and their names in the core group, in which events are stored.
 */
const renamed: readonly (readonly [events: string, core: string])[] = [
  ['regarding', 'involvedObject'],
  ['note', 'message'],
  ['reportingController', 'reportingComponent'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
];

function rename(
  event: KubeObject,
  apiVersion: string,
  names: readonly (readonly [string, string])[],
): KubeObject {
  const to = new Map(names);
  return {
    ...Object.fromEntries(Object.entries(event).map(([name, value]) => [to.get(name) ?? name, value])),
    apiVersion,
  } as KubeObject;
}

/** The storage of events: those of `events.k8s.io` are events of the core group with other field names. */
export const eventsStorage = {
  prefix: '/registry/events/',
  apiVersion: 'v1',
  identity: false,
  fromStored: (stored: KubeObject) =>
    rename(
      stored,
      'events.k8s.io/v1',
      renamed.map(([events, core]) => [core, events]),
    ),
  // The core group always has these fields.
  toStored: (event: KubeObject) => ({
    ...{ reportingComponent: '', reportingInstance: '' },
    ...rename(event, 'v1', renamed),
  }),
} satisfies StorageKind;
