import { age, type Cell } from '@annex/kinds';
import { isObject, type KubeObject } from '@annex/machinery';
import { at, type Cells, textCell } from '../../shared/cells.ts';

/** The time of the first occurrence: the older timestamps, or the eventTime of newer events. */
const firstSeen: Cell = (event, now) =>
  age(
    (at(event, 'firstTimestamp') ??
      at(event, 'deprecatedFirstTimestamp') ??
      at(event, 'eventTime')) as string,
    now,
  );

const lastSeen: Cell = (event, now) => {
  if (isObject(event.series)) return age(event.series.lastObservedTime as string | undefined, now);
  const last = (at(event, 'lastTimestamp') ?? at(event, 'deprecatedLastTimestamp')) as string | undefined;
  return last === undefined ? firstSeen(event, now) : age(last, now);
};

const either =
  (...paths: string[]): ((object: KubeObject) => string) =>
  (object) => {
    for (const path of paths) if (at(object, path)) return String(at(object, path));
    return '';
  };

const eventKind = either('involvedObject.kind', 'regarding.kind');

const eventName = either('involvedObject.name', 'regarding.name');

const component = either(
  'source.component',
  'deprecatedSource.component',
  'reportingComponent',
  'reportingController',
);

const host = either('source.host', 'deprecatedSource.host', 'reportingInstance');

/** The columns of both groups. The field names of the core group are read first. */
export const eventColumns: Cells = {
  'Last Seen': lastSeen,
  Type: textCell('type'),
  Reason: textCell('reason'),
  Object: (event) => [eventKind(event).toLowerCase(), eventName(event)].filter(Boolean).join('/'),
  Subobject: either('involvedObject.fieldPath', 'regarding.fieldPath'),
  Source: (event) => [component(event), host(event)].filter(Boolean).join(', '),
  Message: (event) => either('message', 'note')(event).trim(),
  'First Seen': firstSeen,
  Count: (event) =>
    Number(at(event, 'series.count') ?? 0) || Number(either('count', 'deprecatedCount')(event)) || 1,
};
