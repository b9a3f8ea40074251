import {
  type FieldError,
  fieldErrors,
  isObject,
  type JsonObject,
  Quantity,
  validateDns1123Subdomain,
  validateQualifiedName,
} from '@annex/machinery';
import {
  type Check,
  childOf,
  each,
  fields,
  isMissing,
  nonNegative,
  objectsOf,
  oneOf,
  required,
  selector,
  unique,
} from '../../shared/checks.ts';

const { invalid } = fieldErrors;

// kube looks at the name in small letters, and shows it so.
const driver: Check = (value, at) => {
  const name = String(value).toLowerCase();
  return validateQualifiedName(name).map((why) => invalid(at, name, why));
};

const subdomain: Check = (value, at) =>
  validateDns1123Subdomain(String(value ?? '')).map((why) => invalid(at, value ?? '', why));

const parameters: Check = (value, at) => {
  const keys = Object.keys(isObject(value) ? value : {});
  if (keys.length > 512) return [fieldErrors.tooLong(at, '', 512)];
  return keys.includes('') ? [invalid(at, '', 'field can not be empty.')] : [];
};

const topology: Check = (value, at) =>
  objectsOf(childOf({ value }, 'value').matchLabelExpressions).flatMap(({ key, values }, index) => {
    const where = at.child('matchLabelExpressions').index(index);
    return [
      ...required()(values, where.child('values')),
      ...validateQualifiedName(String(key ?? '')).map((why) => invalid(where.child('key'), key ?? '', why)),
    ];
  });

export const storageClass: Check = fields({
  provisioner: required(driver),
  parameters,
  reclaimPolicy: oneOf('Delete', 'Retain'),
  volumeBindingMode: oneOf('Immediate', 'WaitForFirstConsumer'),
  allowedTopologies: each(topology),
});

export const volumeAttributesClass: Check = fields({
  driverName: required(driver),
  parameters: (value, at) =>
    Object.keys(isObject(value) ? value : {}).length === 0
      ? [fieldErrors.required(at, 'must contain at least one key/value pair')]
      : parameters(value, at),
});

/** The spec of a VolumeAttachment. */
export const volumeAttachment: Check = fields({
  attacher: (value, at) => (isMissing(value) ? [fieldErrors.required(at)] : subdomain(value, at)),
  source(value, at) {
    const { inlineVolumeSpec, persistentVolumeName } = isObject(value) ? value : {};
    const given = [inlineVolumeSpec, persistentVolumeName].filter((one) => !isMissing(one));
    const text = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
    if (given.length === 0) return [fieldErrors.required(at, text)];
    return given.length > 1 ? [fieldErrors.forbidden(at, text)] : [];
  },
  nodeName: subdomain,
});

/** The spec of a CSIDriver. */
export const csiDriver: Check = fields({
  fsGroupPolicy: oneOf('File', 'None', 'ReadWriteOnceWithFSType'),
  tokenRequests: unique('audience'),
  volumeLifecycleModes: (value, at) =>
    (Array.isArray(value) ? value : []).flatMap((mode) => oneOf('Persistent', 'Ephemeral')(mode, at)),
});

const nodeDriver = fields({
  name: required(driver),
  nodeID: required(),
  allocatable: fields({ count: nonNegative }),
});

/** The spec of a CSINode. */
export const csiNode: Check = fields({
  drivers: (value, at) => [...each(nodeDriver)(value, at), ...unique('name')(value, at)],
});

const amount: Check = (value, at): FieldError[] =>
  !isMissing(value) && Quantity.parse(String(value)).sign < 0
    ? [invalid(at, value, 'must be greater than or equal to 0')]
    : [];

export const csiStorageCapacity: Check = (value, at) => {
  const capacity: JsonObject = isObject(value) ? value : {};
  return [
    ...subdomain(capacity.storageClassName, at.child('storageClassName')),
    ...selector(capacity.nodeTopology, at.child('nodeTopology')),
    ...amount(capacity.capacity, at.child('capacity')),
  ];
};
