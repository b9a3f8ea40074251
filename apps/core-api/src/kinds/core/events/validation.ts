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

const { invalid } = fieldErrors;

/** Checks that an event is in the namespace of its object, or the fields of the newer form, which names its reporter. */
export function validateEvent(object: KubeObject): FieldError[] {
  const about = childOf(object, 'involvedObject');
  const { namespace = '' } = object.metadata;
  const of = typeof about.namespace === 'string' ? about.namespace : '';
  const where = FieldPath.of('involvedObject', 'namespace');
  const isCluster = of === '' && (namespace === 'default' || namespace === 'kube-system');
  const misplaced =
    of === namespace || isCluster ? [] : [invalid(where, of, 'does not match event.namespace')];
  return isMissing(object.eventTime) ? misplaced : reported(object as unknown as JsonObject);
}

const longest = { reportingInstance: 128, action: 128, reason: 128, message: 1024 } as const;

function reported(event: JsonObject): FieldError[] {
  const controller = FieldPath.of('reportingComponent');
  const name = String(event.reportingComponent ?? '');
  const types = ['Normal', 'Warning'];
  return [
    ...(name === '' ? [fieldErrors.required(controller)] : []),
    ...validateQualifiedName(name).map((why) => invalid(controller, name, why)),
    ...(['reportingInstance', 'action', 'reason'] as const).flatMap((field) =>
      isMissing(event[field]) ? [fieldErrors.required(field)] : [],
    ),
    ...Object.entries(longest).flatMap(([field, most]) =>
      String(getOwn(event, field) ?? '').length > most
        ? [invalid(FieldPath.of(field), '', `can have at most ${most} characters`)]
        : [],
    ),
    ...(types.includes(String(event.type ?? ''))
      ? []
      : [invalid(FieldPath.of('type'), '', `has invalid value: ${String(event.type ?? '')}`)]),
  ];
}
