import type { FieldPath } from '@annex/machinery';
import {
  type FieldError,
  fieldErrors,
  getOwn,
  isObject,
  type JsonObject,
  Quantity,
  validateDns1123Label,
  pushAll,
} from '@annex/machinery';
import { validateClaimSpec } from '../../core/persistentvolumeclaims/validation.ts';
import {
  all,
  type Check,
  childOf,
  each,
  fields,
  isMissing,
  oneOf,
  required,
  text,
  unique,
} from '../checks.ts';
import { fieldReference } from './references.ts';

const { invalid } = fieldErrors;

const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

const noBacksteps: Check = (value, at) =>
  String(value ?? '')
    .split('/')
    .includes('..')
    ? [invalid(at, value, "must not contain '..'")]
    : [];

const relative: Check = (value, at) => {
  const path = String(value ?? '');
  return path.startsWith('/') ? [invalid(at, value, 'must be a relative path')] : noBacksteps(value, at);
};

const absolute: Check = (value, at) =>
  String(value).startsWith('/') ? [] : [invalid(at, value, 'must be an absolute path')];

const mode: Check = (value, at) =>
  typeof value === 'number' && (value < 0 || value > 0o777)
    ? [invalid(at, value, 'must be a number between 0 and 0777 (octal), both inclusive')]
    : [];

const items = each(fields({ key: required(), path: required(relative), mode }));

const emptyDir = fields({
  sizeLimit: (value, at) =>
    !isMissing(value) && Quantity.parse(String(value)).sign < 0
      ? [fieldErrors.forbidden(at, 'SizeLimit field must be a valid resource quantity')]
      : [],
});

// The paths of kube-apiserver have no index here.
const downwardItems: Check = (value, at) =>
  (Array.isArray(value) ? value : []).flatMap((item: unknown) => downwardItem(item, at));

const downwardItem = fields({
  path: required(relative),
  fieldRef: (value, at) => (isObject(value) ? fieldReference(value, at) : []),
  mode,
});

const sources = [
  'secret',
  'configMap',
  'downwardAPI',
  'serviceAccountToken',
  'clusterTrustBundle',
  'podCertificate',
];
const tooShort = 'may not specify a duration less than 10 minutes';

const projectedSource =
  (hasAccount: boolean, whole: FieldPath): Check =>
  (value, at) => {
    const source: JsonObject = isObject(value) ? value : {};
    const token = source.serviceAccountToken;
    const errors: FieldError[] = [];
    if (isObject(source.secret)) pushAll(errors, items(source.secret.items, at.child('secret', 'items')));
    if (isObject(source.configMap))
      pushAll(errors, items(source.configMap.items, at.child('configMap', 'items')));
    if (isObject(token)) {
      const place = at.child('serviceAccountToken');
      if (!hasAccount)
        errors.push(fieldErrors.forbidden(place, 'must not be specified when serviceAccountName is not set'));
      const seconds = token.expirationSeconds;
      if (Number(seconds ?? 3600) < 600)
        errors.push(invalid(place.child('expirationSeconds'), seconds, tooShort));
      pushAll(errors, required(relative)(token.path, whole.child('path')));
    }
    const provided = sources.filter((name) => isObject(getOwn(source, name)));
    return [
      ...errors,
      ...provided
        .slice(1)
        .map((name) => fieldErrors.forbidden(at.child(name), 'may not specify more than 1 volume type')),
    ];
  };

const claimTemplate: Check = (value, at) =>
  isObject(value) ? validateClaimSpec(childOf(value, 'spec'), at.child('spec')) : [fieldErrors.required(at)];

/** The checks of volume types that require more than a name. */
const types = (spec: JsonObject): Readonly<Record<string, Check>> => ({
  configMap: fields({ name: required(), defaultMode: mode, items }),
  csi: fields({ driver: required() }),
  downwardAPI: (value, at) =>
    isObject(value)
      ? [...mode(value.defaultMode, at.child('defaultMode')), ...downwardItems(value.items, at)]
      : [],
  emptyDir,
  ephemeral: fields({ volumeClaimTemplate: claimTemplate }),
  gitRepo: fields({ repository: required(), directory: relative }),
  hostPath: fields({ path: required(noBacksteps), type: oneOf(...hostPathTypes) }),
  image: fields({ reference: required(), pullPolicy: oneOf('Always', 'IfNotPresent', 'Never') }),
  iscsi: fields({
    targetPortal: required(),
    iqn: required((value, at) =>
      /^(iqn|eui|naa)\./.test(String(value))
        ? []
        : [invalid(at, value, 'must be valid format starting with iqn, eui, or naa')],
    ),
  }),
  nfs: fields({ server: required(), path: required(absolute) }),
  persistentVolumeClaim: fields({ claimName: required() }),
  projected: (value, at) =>
    each(projectedSource(!isMissing(spec.serviceAccountName), at))(
      childOf({ value }, 'value').sources,
      at.child('sources'),
    ),
  secret: fields({ secretName: required(), defaultMode: mode, items }),
});

/** The order in which kube-apiserver checks the types of a volume; of two types it rejects the later. */
const order = [
  'emptyDir',
  'hostPath',
  'gitRepo',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'secret',
  'nfs',
  'iscsi',
  'glusterfs',
  'flocker',
  'persistentVolumeClaim',
  'rbd',
  'cinder',
  'cephfs',
  'quobyte',
  'downwardAPI',
  'fc',
  'configMap',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'storageos',
  'projected',
  'scaleIO',
  'csi',
  'ephemeral',
  'image',
];

/** Checks the volumes of a pod: each has a unique name and one type. */
export const podVolumes =
  (spec: JsonObject): Check =>
  (value, at) => {
    const checks = types(spec);
    const one: Check = (volume, where) => {
      const source: JsonObject = isObject(volume) ? volume : {};
      const provided = order.filter((name) => isObject(getOwn(source, name)));
      const more = provided
        .slice(1)
        .map((name) => fieldErrors.forbidden(where.child(name), 'may not specify more than 1 volume type'));
      const [first] = provided;
      return [
        ...required(text(validateDns1123Label))(source.name, where.child('name')),
        ...(first === undefined
          ? []
          : (getOwn(checks, first)?.(getOwn(source, first), where.child(first)) ?? [])),
        ...more,
      ];
    };
    return all(each(one), unique('name'))(value, at);
  };

/** Returns the names of the valid volumes, which containers can mount. */
export const mountable = (value: unknown): Set<unknown> =>
  new Set(
    (Array.isArray(value) ? value : [])
      .filter(
        (volume) => isObject(volume) && order.filter((name) => isObject(getOwn(volume, name))).length <= 1,
      )
      .map((volume) => (volume as JsonObject).name),
  );

/** Checks the path and the options of a mount. Most of kube-apiserver's paths have no index here. */
export const mountDetails =
  (list: FieldPath): Check =>
  (value, at) => {
    const mount: JsonObject = isObject(value) ? value : {};
    const both = !isMissing(mount.subPath) && !isMissing(mount.subPathExpr);
    return [
      ...relative(mount.subPath, list.child('subPath')),
      ...(both
        ? [
            invalid(
              at.child('subPathExpr'),
              mount.subPathExpr,
              'subPathExpr and subPath are mutually exclusive',
            ),
          ]
        : relative(mount.subPathExpr, list.child('subPathExpr'))),
      ...oneOf(
        'Bidirectional',
        'HostToContainer',
        'None',
      )(mount.mountPropagation, list.child('mountPropagation')),
    ];
  };
