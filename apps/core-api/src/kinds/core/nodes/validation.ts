import {
  errorsOfEach,
  errorsOfMembers,
  type FieldError,
  fieldErrors,
  FieldPath,
  isObject,
  type KubeObject,
  Quantity,
  validateLabelValue,
  validateQualifiedName,
  repetitions,
} from '@annex/machinery';
import {
  type Check,
  childOf,
  fields,
  isMissing,
  objectsOf,
  oneOf,
  required,
  text,
} from '../../shared/checks.ts';
import { cidrErrors } from '../../shared/cidrs.ts';

const { invalid } = fieldErrors;

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

const taint = fields({
  key: (value, at) => validateQualifiedName(String(value ?? '')).map((why) => invalid(at, value ?? '', why)),
  value: text(validateLabelValue),
  effect: required(oneOf(...effects)),
});

const taints: Check = (value, at) => {
  const isRepeated = repetitions();
  return errorsOfEach(objectsOf(value), (item, index) => {
    const where = at.index(index);
    const errors = taint(item, where);
    const key = `${String(item.key)} ${String(item.effect)}`;
    const isFirst = !isRepeated(key);
    if (isFirst) return errors;
    const shown = {
      Key: item.key,
      Value: item.value ?? '',
      Effect: item.effect,
      TimeAdded: item.timeAdded ?? null,
    };
    const { badValue: _bad, ...duplicate } = fieldErrors.duplicate(where, shown);
    return [
      ...errors,
      { ...duplicate, badValue: shown, detail: 'taints must be unique by key and effect pair' },
    ];
  });
};

const amounts: Check = (value, at) =>
  errorsOfMembers(isObject(value) ? value : {}, (name, amount) =>
    Quantity.parse(String(amount)).sign < 0
      ? [invalid(at.child(name), amount, 'must be greater than or equal to 0')]
      : [],
  );

/** Checks a Node. kube-apiserver reports the taints below the metadata. */
export const validateNode: Check = (value, at) => {
  const spec = childOf(value, 'spec');
  const status = childOf(value, 'status');
  const cidrs = Array.isArray(spec.podCIDRs) ? spec.podCIDRs : isMissing(spec.podCIDR) ? [] : [spec.podCIDR];
  const where = at.child('spec', 'podCIDRs');
  const cidrsErrors = cidrs.flatMap((cidr, index) => cidrErrors(cidr, where.index(index)));
  const families = cidrs.map((cidr) => String(cidr).includes(':'));
  const tooMany =
    new Set(families).size < families.length
      ? [invalid(where, cidrs, 'may specify no more than one CIDR for each IP family')]
      : [];
  return [
    ...taints(spec.taints, at.child('metadata', 'taints')),
    ...amounts(status.capacity, at.child('status', 'capacity')),
    ...amounts(
      isObject(status.allocatable) ? status.allocatable : status.capacity,
      at.child('status', 'allocatable'),
    ),
    ...cidrsErrors,
    ...(cidrsErrors.length === 0 ? tooMany : []),
  ];
};

const fixed = (at: FieldPath, name: string): FieldError =>
  fieldErrors.forbidden(at, `node updates may not change ${name} except from "" to valid`);

/** Checks that the address ranges and the provider of a node do not change once they are set. */
export function validateNodeUpdate(node: KubeObject, old: KubeObject): FieldError[] {
  const at = FieldPath.of('spec');
  const [spec, before] = [childOf(node, 'spec'), childOf(old, 'spec')];
  const [now, known] = [textsOf(spec.podCIDRs), textsOf(before.podCIDRs)];
  const changed = known.length === now.length ? known.filter((cidr, i) => cidr !== now[i]) : ['all'];
  return [
    ...(known.length === 0 ? [] : changed.map(() => fixed(at.child('podCIDRs'), 'podCIDR'))),
    ...(before.providerID && spec.providerID !== before.providerID
      ? [fixed(at.child('providerID'), 'providerID')]
      : []),
  ];
}

const textsOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
