import {
  type FieldError,
  fieldErrors,
  FieldPath,
  getOwn,
  type JsonObject,
  type KubeObject,
  validateQualifiedName,
} from '@annex/machinery';
import { childOf, isMissing } from '../../shared/checks.ts';

const { invalid, required } = fieldErrors;

/** The name of the reporting controller in errors of the core group. */
const coreReporter = 'reportingComponent';

/**
 * Checks that an event is in the namespace of its object, or the fields of the newer form, which names its reporter. Takes
 * the fields of the core group; `reporter` is the name of the reporting controller in errors.
 */
export function validateEvent(object: KubeObject, reporter: string = coreReporter): FieldError[] {
  const about = childOf(object, 'involvedObject');
  const { namespace = '' } = object.metadata;
  const of = typeof about.namespace === 'string' ? about.namespace : '';
  const isNewer = !isMissing(object.eventTime);
  const cluster = isNewer ? ['default', 'kube-system'] : ['default'];
  const isPlaced = of === '' ? cluster.includes(namespace) : isNewer || of === namespace;
  const where = FieldPath.of('involvedObject', 'namespace');
  const misplaced = isPlaced ? [] : [invalid(where, of, 'does not match event.namespace')];
  return isNewer ? [...misplaced, ...reported(object as unknown as JsonObject, reporter)] : misplaced;
}

const longest = { reportingInstance: 128, action: 128, reason: 128 } as const;

function reported(event: JsonObject, reporter: string): FieldError[] {
  const controller = FieldPath.of(reporter);
  const name = String(event.reportingComponent ?? '');
  const tooLong = (field: string, most: number): FieldError[] =>
    Buffer.byteLength(String(getOwn(event, field) ?? '')) > most
      ? [invalid(FieldPath.of(field), '', `can have at most ${most} characters`)]
      : [];
  return [
    ...(name === '' ? [required(controller)] : []),
    ...validateQualifiedName(name).map((why) => invalid(controller, name, why)),
    ...Object.entries(longest).flatMap(([field, most]) => [
      ...(isMissing(getOwn(event, field)) ? [required(field)] : []),
      ...tooLong(field, most),
    ]),
    ...tooLong('message', 1024),
  ];
}
