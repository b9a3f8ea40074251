import { type FieldError, fieldErrors, FieldPath, validateQualifiedName } from '@annex/machinery';
import { childOf } from '../../shared/checks.ts';
import type { StatusValidation } from '../../builtin-kind.ts';

const { invalid, notSupported } = fieldErrors;
const status = FieldPath.of('status');

const resizeStatuses = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
];

/** Of the resources of Kubernetes, a claim has only `storage`. */
function nameErrors(name: string, at: FieldPath): FieldError[] {
  const errors = validateQualifiedName(name).map((why) => invalid(at, name, why));
  const isNative = !name.includes('/') || name.includes('kubernetes.io/');
  if (errors.length > 0 || !isNative || name === 'storage') return errors;
  return [notSupported(at, name, ['storage'])];
}

/** The validation of the status: the resources that are allocated, and how far their change is. */
export const claimStatus: StatusValidation = {
  validate(updated) {
    const { allocatedResourceStatuses, allocatedResources } = childOf(updated, 'status');
    const at = status.child('allocatedResourceStatuses');
    return [
      ...Object.entries(allocatedResourceStatuses ?? {}).flatMap(([name, value]) => [
        ...nameErrors(name, at),
        // kube-apiserver names the resource in the place of its status.
        ...(resizeStatuses.includes(String(value)) ? [] : [notSupported(at, name, resizeStatuses)]),
      ]),
      ...Object.keys(allocatedResources ?? {}).flatMap((name) =>
        nameErrors(name, status.child('allocatedResources')),
      ),
    ];
  },
};
