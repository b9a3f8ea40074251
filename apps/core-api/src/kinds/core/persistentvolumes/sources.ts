import { fieldErrors, isObject, validateDns1123Label, validateDns1123Subdomain } from '@annex/machinery';
import { type Check, fields, isMissing, oneOf, required, text } from '../../shared/checks.ts';
import { driverName } from '../../shared/driver-name.ts';
import { noBacksteps } from '../../shared/pod-spec/volume-files.ts';
import { hostPathTypes } from '../../shared/pod-spec/volumes.ts';

const { invalid } = fieldErrors;

const absolute: Check = (value, at) =>
  String(value ?? '').startsWith('/') ? [] : [invalid(at, value ?? '', 'must be an absolute path')];

const secret = fields({
  name: required(text(validateDns1123Subdomain)),
  namespace: required(text(validateDns1123Label)),
});

const secretNames = fields({ name: required(), namespace: required() });

const qualifiedName: Check = (value, at) =>
  ['iqn', 'eui', 'naa'].some((start) => String(value).startsWith(start))
    ? []
    : [invalid(at, value, 'must be valid format')];

const lun: Check = (value, at) =>
  Number(value ?? 0) < 0 || Number(value ?? 0) > 255
    ? [invalid(at, value, 'must be between 0 and 255, inclusive')]
    : [];

const iscsi = fields({ targetPortal: required(), iqn: required(qualifiedName), lun }, (value, at) => {
  const { discoveryCHAPAuth, sessionCHAPAuth, secretRef } = isObject(value) ? value : {};
  const authenticates = discoveryCHAPAuth === true || sessionCHAPAuth === true;
  if (isObject(secretRef)) return fields({ name: required() })(secretRef, at.child('secretRef'));
  return authenticates ? [fieldErrors.required(at.child('secretRef'))] : [];
});

/** The checks of the types of persistent volumes, in the order of kube-apiserver, which rejects all but the first. */
export const volumeSources: Readonly<Record<string, Check>> = {
  hostPath: fields({ path: required(noBacksteps), type: oneOf(...hostPathTypes) }),
  gcePersistentDisk: () => [],
  awsElasticBlockStore: fields({ volumeID: required() }),
  glusterfs: fields({ endpoints: required(), path: required() }),
  flocker: () => [],
  nfs: fields({
    server: required(),
    path: (value, at) => [...(isMissing(value) ? [fieldErrors.required(at)] : []), ...absolute(value, at)],
  }),
  rbd: fields({ monitors: required(), image: required() }),
  quobyte: () => [],
  cephfs: fields({ monitors: required() }),
  iscsi,
  cinder: fields({ volumeID: required(), secretRef: secretNames }),
  fc: () => [],
  flexVolume: fields({ driver: required() }),
  azureFile: fields({ secretName: required(), shareName: required() }),
  vsphereVolume: fields({ volumePath: required() }),
  photonPersistentDisk: fields({ pdID: required() }),
  portworxVolume: fields({ volumeID: required() }),
  azureDisk: fields({ diskName: required(), diskURI: required() }),
  scaleIO: fields({ gateway: required(), system: required(), volumeName: required() }),
  local: fields({ path: required(noBacksteps) }),
  storageos: fields({ volumeName: required(text(validateDns1123Label)), secretRef: secretNames }),
  csi: fields({
    driver: driverName,
    volumeHandle: required(),
    controllerPublishSecretRef: secret,
    controllerExpandSecretRef: secret,
    nodePublishSecretRef: secret,
    nodeExpandSecretRef: secret,
  }),
};
