import { type FieldError, fieldErrors, isObject } from '@annex/machinery';
import { type Check, fields, isMissing, required } from '../checks.ts';
import { fileFieldReference, resourceReference } from './references.ts';

const { invalid } = fieldErrors;

export const noBacksteps: Check = (value, at) =>
  String(value ?? '')
    .split('/')
    .includes('..')
    ? [invalid(at, value, "must not contain '..'")]
    : [];

/** Checks a path inside of a volume. */
export const relative: Check = (value, at) => [
  ...(String(value ?? '').startsWith('/') ? [invalid(at, value, 'must be a relative path')] : []),
  ...noBacksteps(value, at),
];

/** Checks a path of a file that the kubelet writes: it does not begin with the names that the kubelet uses. */
export const localPath: Check = (value, at) => {
  const path = String(value ?? '');
  const isReserved = path.startsWith('..') && !path.startsWith('../');
  return [...relative(value, at), ...(isReserved ? [invalid(at, value, "must not start with '..'")] : [])];
};

/** Checks the permissions of a file. */
export const mode: Check = (value, at) =>
  typeof value === 'number' && (value < 0 || value > 0o777)
    ? [invalid(at, value, 'must be a number between 0 and 0777 (octal), both inclusive')]
    : [];

const onlyOne = 'fieldRef and resourceFieldRef can not be specified simultaneously';

/** Checks a file with a field of the pod. The paths of kube-apiserver have no index here. */
export const downwardItem: Check = (value, at) => {
  const { path, fieldRef, resourceFieldRef, mode: permissions } = isObject(value) ? value : {};
  const errors: FieldError[] = isMissing(path)
    ? [fieldErrors.required(at.child('path'))]
    : localPath(path, at.child('path'));
  if (isObject(fieldRef)) {
    errors.push(...fileFieldReference(fieldRef, at.child('fieldRef')));
    if (isObject(resourceFieldRef)) errors.push(invalid(at, 'resource', onlyOne));
  } else if (isObject(resourceFieldRef)) {
    errors.push(...fileResource(resourceFieldRef, at.child('resourceFieldRef')));
  } else {
    errors.push(fieldErrors.required(at, 'one of fieldRef and resourceFieldRef is required'));
  }
  return [...errors, ...mode(permissions, at.child('mode'))];
};

const fileResource: Check = (value, at) => {
  const reference = isObject(value) ? value : {};
  // A file belongs to no container, so it has to name one.
  if (isMissing(reference.containerName)) return [fieldErrors.required(at.child('containerName'))];
  return resourceReference(reference, at);
};

/** Checks the items of a volume that is made of keys. */
export const keyFile = fields({ key: required(), path: required(localPath), mode });
