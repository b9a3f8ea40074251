import {
  errorsOfEach,
  noteErrors,
  type FieldPath,
  fieldErrors,
  getOwn,
  isObject,
  type JsonObject,
  Quantity,
  validateDns1123Label,
} from '@annex/machinery';
import { validateClaimSpec } from '../../core/persistentvolumeclaims/validation.ts';
import { type Check, childOf, each, fields, isMissing, objectsOf, oneOf, required, text } from '../checks.ts';
import { templateMetadata } from '../template-metadata.ts';
import { projectedVolume } from './projected-volumes.ts';
import { downwardItem, keyFile, mode, noBacksteps, relative } from './volume-files.ts';

const { invalid } = fieldErrors;

export const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

const absolute: Check = (value, at) =>
  String(value).startsWith('/') ? [] : [invalid(at, value, 'must be an absolute path')];

const items = each(keyFile);

const emptyDir = fields({
  sizeLimit: (value, at) =>
    !isMissing(value) && Quantity.parse(String(value)).sign < 0
      ? [fieldErrors.forbidden(at, 'SizeLimit field must be a valid resource quantity')]
      : [],
});

const claimTemplate: Check = (value, at) =>
  isObject(value)
    ? [
        ...templateMetadata(value.metadata, at.child('metadata')),
        ...validateClaimSpec(childOf(value, 'spec'), at.child('spec')),
      ]
    : [fieldErrors.required(at)];

/** The checks of volume types that require more than a name. */
const types: Readonly<Record<string, Check>> = {
  configMap: fields({ name: required(), defaultMode: mode, items }),
  csi: fields({ driver: required() }),
  downwardAPI: (value, at) =>
    isObject(value)
      ? [
          ...mode(value.defaultMode, at.child('defaultMode')),
          ...errorsOfEach(objectsOf(value.items), (item) => downwardItem(item, at)),
        ]
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
  projected: projectedVolume,
  secret: fields({ secretName: required(), defaultMode: mode, items }),
};

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

const oneVolume: Check = (volume, where) => {
  const source: JsonObject = isObject(volume) ? volume : {};
  const provided = order.filter((name) => isObject(getOwn(source, name)));
  const more = provided
    .slice(1)
    .map((name) => fieldErrors.forbidden(where.child(name), 'may not specify more than 1 volume type'));
  const [first] = provided;
  return [
    ...(first === undefined ? [] : (getOwn(types, first)?.(getOwn(source, first), where.child(first)) ?? [])),
    ...more,
    ...required(text(validateDns1123Label))(source.name, where.child('name')),
  ];
};

/** Checks the volumes of a pod: each has one type, and no name of a valid one before it. Adds the names of those that containers can mount, because they are valid. */
export const podVolumes = (mountable: Set<unknown>): Check =>
  each((volume, at) => {
    const { name } = childOf({ volume }, 'volume');
    const errors = [
      ...oneVolume(volume, at),
      ...(mountable.has(name) ? [fieldErrors.duplicate(at.child('name'), name)] : []),
    ];
    return noteErrors(errors, ({ length }) => void (length === 0 && mountable.add(name)));
  });

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
