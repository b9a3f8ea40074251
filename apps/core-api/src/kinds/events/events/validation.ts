import { eventsStorage } from '@annex/kinds';
import {
  deepEqual,
  type FieldError,
  fieldErrors,
  FieldPath,
  goStructPointer,
  goText,
  type KubeObject,
} from '@annex/machinery';
import { childOf, isMissing } from '../../shared/checks.ts';
import { goReference, immutable, immutableStrings } from '../../shared/immutable-fields.ts';
import { validateEvent } from '../../core/events/validation.ts';

const { invalid, required } = fieldErrors;

/** Errors name the fields of the core group, except for the reporting controller. */
const inCore = (event: KubeObject): KubeObject => eventsStorage.toStored(event);
const validate = (event: KubeObject): FieldError[] => validateEvent(event, 'reportingController');

/** Checks a new event of the newer API, which is stricter than that of the core group. */
export function validateNewEvent(object: KubeObject): FieldError[] {
  const event = inCore(object);
  const type = String(event.type ?? '');
  const unset = (field: string, isUnset: boolean): FieldError[] =>
    isUnset ? [] : [invalid(FieldPath.of(field), '', 'needs to be unset')];
  const { component, host } = childOf(event, 'source');
  return [
    ...validate(event),
    ...seriesErrors(event),
    ...(isMissing(event.eventTime) ? [required('eventTime')] : []),
    ...(['Normal', 'Warning'].includes(type)
      ? []
      : [invalid(FieldPath.of('type'), '', `has invalid value: ${type}`)]),
    ...unset('firstTimestamp', isMissing(event.firstTimestamp)),
    ...unset('lastTimestamp', isMissing(event.lastTimestamp)),
    ...unset('count', Number(event.count ?? 0) === 0),
    ...unset('source', isMissing(component) && isMissing(host)),
  ];
}

const goSource = goStructPointer([
  ['Component', 'component', goText],
  ['Host', 'host', goText],
]);

const fixedFields = immutable(
  { path: 'involvedObject', print: (value) => goReference(value ?? {}) },
  ...immutableStrings('reason', 'message'),
  { path: 'source', print: (value) => goSource(value ?? {}) },
  'firstTimestamp',
  'lastTimestamp',
  { path: 'count', print: (value) => value ?? 0 },
  // kube-apiserver compares the reason twice.
  ...immutableStrings('reason', 'type'),
  'eventTime',
  ...immutableStrings('action'),
  { path: 'related', print: goReference },
);
const fixedReporter = immutable(...immutableStrings('reportingController', 'reportingInstance'));

/** Checks an update: only the series changes. */
export function validateEventUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const [event, before] = [inCore(object), inCore(old)];
  return [
    ...validate(event),
    ...(deepEqual(event.series ?? null, before.series ?? null) ? [] : seriesErrors(event)),
    ...fixedFields(event, before),
    ...fixedReporter(object, old),
  ];
}

function seriesErrors(event: KubeObject): FieldError[] {
  if (isMissing(event.series)) return [];
  const { count, lastObservedTime } = childOf(event, 'series');
  return [
    ...(Number(count ?? 0) < 2 ? [invalid('series.count', '', 'should be at least 2')] : []),
    ...(isMissing(lastObservedTime) ? [required('series.lastObservedTime')] : []),
  ];
}
