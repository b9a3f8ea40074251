import {
  deepEqual,
  type FieldError,
  fieldErrors,
  fieldImmutable,
  FieldPath,
  getOwn,
  isObject,
  type JsonObject,
  type KubeObject,
  Quantity,
  validateDns1123Label,
  validateQualifiedName,
} from '@annex/machinery';
import { autoscaler } from '../kinds/autoscaling/horizontalpodautoscalers/validation.ts';
import { accessModes, claimSpec } from '../kinds/core/persistentvolumeclaims/validation.ts';
import { endpoints, node } from '../kinds/core/endpoints/validation.ts';
import { limitRange } from '../kinds/core/limitranges/validation.ts';
import {
  endpointSlice,
  ingressClass,
  ipAddress,
  networkPolicy,
  serviceCidr,
} from '../kinds/networking/ingresses/validation.ts';
import {
  csiDriver,
  csiNode,
  csiStorageCapacity,
  storageClass,
  volumeAttachment,
  volumeAttributesClass,
} from '../kinds/storage/csidrivers/validation.ts';
import {
  all,
  between,
  type Check,
  childOf,
  fields,
  nonNegative,
  oneOf,
  required,
  selector,
  text,
} from '../kinds/shared/checks.ts';

const { invalid } = fieldErrors;

const positive: Check = (value, at) =>
  typeof value === 'number' && value <= 0 ? [invalid(at, value, 'must be greater than 0')] : [];

/** A field that never changes, and what kube says to those who try; of an immutable field where nothing is said. */
export interface Frozen {
  path: readonly string[];
  text?: string;
}

const frozen = (path: string, text?: string): Frozen => ({
  path: path.split('.'),
  ...(text === undefined ? {} : { text }),
});

/** Complains about an object whose frozen fields differ from what they were. */
export function frozenErrors(object: KubeObject, old: KubeObject, list: readonly Frozen[]): FieldError[] {
  return list.flatMap(({ path, text }) => {
    const read = (from: unknown) =>
      path.reduce<unknown>((at, name) => (isObject(at) ? getOwn(at, name) : undefined), from);
    if (deepEqual(read(object), read(old))) return [];
    const at = FieldPath.of(...path);
    return [text === undefined ? invalid(at, read(object), fieldImmutable) : fieldErrors.forbidden(at, text)];
  });
}

const quantity: Check = (value, at) =>
  value !== undefined && Quantity.parse(String(value)).compare(Quantity.parse('0')) < 0
    ? [invalid(at, value, 'must be greater than or equal to 0')]
    : [];

const amounts: Check = (value, at) =>
  isObject(value)
    ? Object.entries(value).flatMap(([name, amount]) => [
        ...validateQualifiedName(name).map((why) => invalid(at.key(name), name, why)),
        ...quantity(amount, at.key(name)),
      ])
    : [];

const notVolumeSources = new Set([
  'accessModes',
  'capacity',
  'claimRef',
  'mountOptions',
  'nodeAffinity',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'volumeAttributesClassName',
  'volumeMode',
]);

const volumeSource: Check = (value, at) => {
  const sources = isObject(value) ? Object.keys(value).filter((name) => !notVolumeSources.has(name)) : [];
  if (sources.length === 0) return [fieldErrors.required(at, 'must specify a volume type')];
  return sources
    .slice(1)
    .map((name) => fieldErrors.forbidden(at.child(name), 'may not specify more than 1 volume type'));
};

const volumeSpec = fields(
  {
    accessModes,
    capacity: (value, at) => (isObject(value) ? amounts(value, at) : [fieldErrors.required(at)]),
    persistentVolumeReclaimPolicy: oneOf('Delete', 'Recycle', 'Retain'),
    volumeMode: oneOf('Block', 'Filesystem'),
  },
  volumeSource,
);

const countOrPercent: Check = (value, at) => {
  if (typeof value === 'number') return nonNegative(value, at);
  const isPercent = typeof value !== 'string' || /^\d+%$/.test(value);
  return isPercent
    ? []
    : [
        invalid(
          at,
          value,
          "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
        ),
      ];
};

/** A budget as kube's Go value prints it. */
const goBudget = ({
  minAvailable,
  selector: own,
  maxUnavailable,
  unhealthyPodEvictionPolicy,
}: JsonObject) => ({
  MinAvailable: minAvailable ?? null,
  Selector: own ?? null,
  MaxUnavailable: maxUnavailable ?? null,
  UnhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy ?? null,
});

const atMostAll: Check = (value, at) =>
  typeof value === 'string' && Number.parseInt(value, 10) > 100
    ? [invalid(at, value, 'must not be greater than 100%')]
    : [];

const disruptionBudget = fields(
  {
    minAvailable: all(countOrPercent, atMostAll),
    maxUnavailable: all(countOrPercent, atMostAll),
    selector,
    unhealthyPodEvictionPolicy: oneOf('AlwaysAllow', 'IfHealthyBudget'),
  },
  (value, at) =>
    isObject(value) && value.minAvailable !== undefined && value.maxUnavailable !== undefined
      ? [invalid(at, goBudget(value), 'minAvailable and maxUnavailable cannot be both set')]
      : [],
);

const highestUserPriority = 1000000000;

/** The classes that are there from the start, with their priorities. */
export const systemClasses: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2000000000,
  'system-node-critical': 2000001000,
};

const priorityClass: Check = (value, at) => {
  const object = (isObject(value) ? value : {}) as { metadata?: { name?: string }; value?: number };
  const { name = '' } = object.metadata ?? {};
  const errors: FieldError[] = [];
  const known = getOwn(systemClasses, name);
  if (name.startsWith('system-') && known !== object.value) {
    const text =
      "priority class names with 'system-' prefix are reserved for system use only. error: " +
      (known === undefined
        ? `${name} is not a known system priority class`
        : `value of ${name} PriorityClass must be ${known}`);
    errors.push(fieldErrors.forbidden(at.child('metadata', 'name'), text));
  } else if (known === undefined && Number(object.value ?? 0) > highestUserPriority) {
    const text = `maximum allowed value of a user defined priority is ${highestUserPriority}`;
    errors.push(fieldErrors.forbidden(at.child('value'), text));
  }
  return [
    ...errors,
    ...oneOf('PreemptLowerPriority', 'Never')(
      childOf({ value }, 'value').preemptionPolicy,
      at.child('preemptionPolicy'),
    ),
  ];
};

const spec = (check: Check): Check => fields({ spec: check });

/** What is demanded of the objects of a kind, by group and resource; nothing of those that are not named. */
export const otherChecks: Readonly<Record<string, Check>> = {
  '/endpoints': endpoints,
  '/limitranges': limitRange,
  '/nodes': node,
  '/persistentvolumeclaims': spec(claimSpec),
  '/persistentvolumes': spec(volumeSpec),
  'apps/controllerrevisions': fields({
    data: (value, at) => (isObject(value) ? [] : [fieldErrors.required(at, 'data is mandatory')]),
    revision: nonNegative,
  }),
  'autoscaling/horizontalpodautoscalers': spec(autoscaler),
  'coordination.k8s.io/leases': spec(
    fields({ leaseDurationSeconds: positive, leaseTransitions: nonNegative }),
  ),
  'discovery.k8s.io/endpointslices': endpointSlice,
  'flowcontrol.apiserver.k8s.io/flowschemas': spec(
    fields({
      matchingPrecedence: (value, at) =>
        Number(value) <= 0
          ? [invalid(at, value, 'must be a positive value')]
          : between(0, 10000, 'must not be greater than 10000')(value, at),
      priorityLevelConfiguration: fields({ name: required(undefined, 'must reference a priority level') }),
    }),
  ),
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': spec(
    fields({ type: required(oneOf('Exempt', 'Limited')) }),
  ),
  'networking.k8s.io/ingressclasses': spec(ingressClass),
  'networking.k8s.io/ipaddresses': spec(ipAddress),
  'networking.k8s.io/networkpolicies': spec(networkPolicy),
  'networking.k8s.io/servicecidrs': spec(serviceCidr),
  'node.k8s.io/runtimeclasses': fields({ handler: required(text(validateDns1123Label)) }),
  'policy/poddisruptionbudgets': spec(disruptionBudget),
  'scheduling.k8s.io/priorityclasses': priorityClass,
  'storage.k8s.io/csidrivers': spec(csiDriver),
  'storage.k8s.io/csinodes': spec(csiNode),
  'storage.k8s.io/csistoragecapacities': csiStorageCapacity,
  'storage.k8s.io/storageclasses': storageClass,
  'storage.k8s.io/volumeattachments': spec(volumeAttachment),
  'storage.k8s.io/volumeattributesclasses': volumeAttributesClass,
};

const claimText =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n';

/** Fields that never change, by group and resource. */
export const frozenFields: Readonly<Record<string, readonly Frozen[]>> = {
  'apps/controllerrevisions': [frozen('data')],
  '/persistentvolumeclaims': ['accessModes', 'selector', 'storageClassName', 'volumeMode'].map((name) => ({
    path: ['spec', name],
    text: claimText,
  })),
  'discovery.k8s.io/endpointslices': [frozen('addressType')],
  'networking.k8s.io/ingressclasses': [frozen('spec.controller')],
  'networking.k8s.io/ipaddresses': [frozen('spec.parentRef')],
  'node.k8s.io/runtimeclasses': [frozen('handler')],
  'resource.k8s.io/resourceclaims': [frozen('spec')],
  'resource.k8s.io/resourceclaimtemplates': [frozen('spec')],
  'scheduling.k8s.io/priorityclasses': [
    frozen('value', 'may not be changed in an update.'),
    frozen('preemptionPolicy'),
  ],
  'storage.k8s.io/storageclasses': [
    frozen('parameters'),
    frozen('provisioner'),
    frozen('reclaimPolicy'),
    frozen('volumeBindingMode'),
  ],
  'storage.k8s.io/volumeattachments': [frozen('spec')],
  'storage.k8s.io/volumeattributesclasses': [
    frozen('driverName', 'updates to driverName are forbidden.'),
    frozen('parameters', 'updates to parameters are forbidden.'),
  ],
};
