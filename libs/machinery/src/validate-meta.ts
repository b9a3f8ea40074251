import { errorsInPasses, errorsOfEach, errorsOfMembers, errorsOfPasses } from './errors-of-each.ts';
import { type FieldError, FieldPath, fieldErrors } from './field.ts';
import { goQuote } from './go/quote.ts';
import { type LabelSelectorObject } from './labels/selector-objects.ts';
import { type ManagedFieldsEntry, type ObjectMeta, type OwnerReference, parseGroupVersion } from './meta.ts';
import { type NameCheck, nameIsDnsLabel, validateLabelValue, validateQualifiedName } from './names.ts';
import { DividedVisit, type Passes } from './passes.ts';
import { parseTime } from './time.ts';
import { utf8Length } from './utf8.ts';
import { namesInPasses } from './wide-objects.ts';

/** The rules of a kind for its metadata. */
export interface MetaRules {
  namespaced: boolean;
  /** Validates `metadata.name`; default: path segment, which every kind requires anyway. */
  nameCheck: NameCheck;
}

const metadata = FieldPath.of('metadata');

/** The message for a change of an immutable field. */
export const fieldImmutable = 'field is immutable';

/** Bytes of the keys and values of all annotations together. */
export const maxAnnotationsBytes = 256 * 1024;

const bannedOwners = new Set(['v1/Event']);

/** Validates the metadata of an object to create, after its name was generated. */
export function validateObjectMeta(meta: ObjectMeta, rules: MetaRules, path = metadata): FieldError[] {
  const errors: FieldError[] = [];
  const { generateName, name } = meta;
  if (generateName) {
    for (const why of rules.nameCheck(generateName, true)) {
      errors.push(fieldErrors.invalid(path.child('generateName'), generateName, why));
    }
  }
  if (!name) {
    errors.push(fieldErrors.required(path.child('name'), 'name or generateName is required'));
  } else {
    for (const why of rules.nameCheck(name, false)) {
      errors.push(fieldErrors.invalid(path.child('name'), name, why));
    }
  }
  return [
    ...errors,
    ...namespaceErrors(meta.namespace, rules.namespaced, path.child('namespace')),
    ...generationErrors(meta.generation, path.child('generation')),
    ...commonErrors(meta, path),
    ...validateFinalizers(meta.finalizers, path.child('finalizers')),
  ];
}

function namespaceErrors(namespace: string | undefined, namespaced: boolean, path: FieldPath): FieldError[] {
  if (!namespaced) return namespace ? [fieldErrors.forbidden(path, 'not allowed on this type')] : [];
  if (!namespace) return [fieldErrors.required(path)];
  return nameIsDnsLabel(namespace, false).map((why) => fieldErrors.invalid(path, namespace, why));
}

function generationErrors(generation: number | undefined, path: FieldPath): FieldError[] {
  return (generation ?? 0) < 0
    ? [fieldErrors.invalid(path, generation, 'must be greater than or equal to 0')]
    : [];
}

/** Validates the metadata of an update against the stored metadata. */
export function validateObjectMetaUpdate(meta: ObjectMeta, old: ObjectMeta, path = metadata): FieldError[] {
  const errors: FieldError[] = [];
  if (old.deletionTimestamp) {
    errors.push(...newFinalizerErrors(meta.finalizers, old.finalizers, path.child('finalizers')));
  }
  if (!meta.resourceVersion) {
    errors.push(fieldErrors.invalid(path.child('resourceVersion'), '', 'must be specified for an update'));
  }
  if ((meta.generation ?? 0) < (old.generation ?? 0)) {
    errors.push(
      fieldErrors.invalid(path.child('generation'), meta.generation ?? 0, 'must not be decremented'),
    );
  }
  for (const field of immutableStrings) {
    const value = meta[field] ?? '';
    if (value !== (old[field] ?? ''))
      errors.push(fieldErrors.invalid(path.child(field), value, fieldImmutable));
  }
  for (const field of immutableTimes) {
    if (meta[field] !== old[field] && moment(meta[field]) !== moment(old[field])) {
      errors.push(fieldErrors.invalid(path.child(field), meta[field] ?? null, fieldImmutable));
    }
  }
  const grace = 'deletionGracePeriodSeconds';
  if ((meta[grace] ?? undefined) !== (old[grace] ?? undefined)) {
    errors.push(fieldErrors.invalid(path.child(grace), meta[grace] ?? null, fieldImmutable));
  }
  return [...errors, ...commonErrors(meta, path)];
}

const immutableStrings = ['name', 'namespace', 'uid'] as const;
const immutableTimes = ['creationTimestamp', 'deletionTimestamp'] as const;
const moment = (text: string | null | undefined) => (text ? (parseTime(text) ?? text) : undefined);

function commonErrors(meta: ObjectMeta, path: FieldPath): FieldError[] {
  // Most objects have none of these, so no paths are created for them.
  const errors: FieldError[] = [];
  if (meta.labels) errors.push(...validateLabels(meta.labels, path.child('labels')));
  if (meta.annotations) errors.push(...validateAnnotations(meta.annotations, path.child('annotations')));
  if (meta.ownerReferences) {
    errors.push(...validateOwnerReferences(meta.ownerReferences, path.child('ownerReferences')));
  }
  if (meta.managedFields) {
    errors.push(...validateManagedFields(meta.managedFields, path.child('managedFields')));
  }
  return errors;
}

/** Validates a map of labels. */
export function validateLabels(labels: Record<string, string> | undefined, path: FieldPath): FieldError[] {
  return errorsOfMembers(labels ?? {}, (key, value = '') => [
    ...validateLabelKey(key, path),
    ...validateLabelValue(value).map((why) => fieldErrors.invalid(path, value, why)),
  ]);
}

/** Validates a label key. */
export function validateLabelKey(key: string, path: FieldPath): FieldError[] {
  return validateQualifiedName(key).map((why) => fieldErrors.invalid(path, key, why));
}

/** Validates a map of annotations: their keys, and their total size. */
export function validateAnnotations(
  annotations: Record<string, string> | undefined,
  path: FieldPath,
): FieldError[] {
  return annotations === undefined ? [] : errorsOfPasses(annotationErrors(annotations, path));
}

function* annotationErrors(annotations: Record<string, string>, path: FieldPath): Passes<FieldError[]> {
  const names = yield* namesInPasses(annotations);
  const errors = yield* errorsInPasses(() =>
    errorsOfEach(names, (name) =>
      validateQualifiedName(name.toLowerCase()).map((why) => fieldErrors.invalid(path, name, why)),
    ),
  );
  let size = 0;
  yield* new DividedVisit().each(names, (name) => {
    // permitted: no-inherited-keys, these are its own names
    size += utf8Length(name) + utf8Length(annotations[name] ?? '');
  });
  return size > maxAnnotationsBytes
    ? [...errors, fieldErrors.tooLong(path, '', maxAnnotationsBytes)]
    : errors;
}

/** Validates a list of owner references. */
export function validateOwnerReferences(
  references: OwnerReference[] | undefined,
  path: FieldPath,
): FieldError[] {
  let first = '';
  let printed: object[] | undefined;
  return errorsOfEach(references ?? [], (reference) => {
    const errors = ownerReferenceErrors(reference, path);
    if (reference.controller !== true) return errors;
    const name = `${reference.kind}/${reference.name}`;
    if (first === '') {
      first = name;
      return errors;
    }
    printed ??= references?.map(printedReference);
    const why = `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${name}`;
    return [...errors, fieldErrors.invalid(path, printed, why)];
  });
}

function ownerReferenceErrors(reference: OwnerReference, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const { apiVersion = '', kind = '', name = '', uid = '' } = reference;
  // More than one slash is not a version, as in schema.FromAPIVersionAndKind.
  const { group, version } = apiVersion.split('/').length > 2 ? noVersion : parseGroupVersion(apiVersion);
  if (version === '') {
    errors.push(fieldErrors.invalid(path.child('apiVersion'), apiVersion, 'version must not be empty'));
  }
  for (const [field, value] of Object.entries({ kind, name, uid })) {
    if (value === '') errors.push(fieldErrors.invalid(path.child(field), value, 'must not be empty'));
  }
  if (group === '' && bannedOwners.has(`${version}/${kind}`)) {
    const text = `${group}/${version}, Kind=${kind} is disallowed from being an owner`;
    errors.push(fieldErrors.invalid(path, printedReference(reference), text));
  }
  return errors;
}

const noVersion = { group: '', version: '' };

// The order of the fields in Go's struct.
const printedReference = (r: OwnerReference) => ({
  apiVersion: r.apiVersion,
  kind: r.kind,
  name: r.name,
  uid: r.uid,
  ...(r.controller === undefined ? {} : { controller: r.controller }),
  ...(r.blockOwnerDeletion === undefined ? {} : { blockOwnerDeletion: r.blockOwnerDeletion }),
});

/** Validates a list of finalizers. */
export function validateFinalizers(finalizers: string[] | undefined, path: FieldPath): FieldError[] {
  if (finalizers === undefined) return [];
  const errors = errorsOfEach(finalizers, (name) =>
    validateQualifiedName(name).map((why) => fieldErrors.invalid(path, name, why)),
  );
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    const why = 'finalizer orphan and foregroundDeletion cannot be both set';
    errors.push(fieldErrors.invalid(path, finalizers, why));
  }
  return errors;
}

const standardFinalizers = new Set(['orphan', 'foregroundDeletion', 'kubernetes']);

/** Validates finalizers of built-in kinds: a name without a slash must be a standard one. */
export function validateStandardFinalizers(finalizers: string[] | undefined, path: FieldPath): FieldError[] {
  return errorsOfEach(finalizers ?? [], (name, i) =>
    !name.includes('/') && !standardFinalizers.has(name)
      ? [
          fieldErrors.invalid(
            path.index(i),
            name,
            'name is neither a standard finalizer name nor is it fully qualified',
          ),
        ]
      : [],
  );
}

function newFinalizerErrors(now: string[] = [], before: string[] = [], path: FieldPath): FieldError[] {
  const known = new Set(before);
  const added = [...new Set(now)].filter((name) => !known.has(name)).sort();
  if (added.length === 0) return [];
  const list = `[]string{${added.map(goQuote).join(', ')}}`;
  return [
    fieldErrors.forbidden(
      path,
      `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`,
    ),
  ];
}

/** Validates a list of managed fields. */
export function validateManagedFields(
  entries: ManagedFieldsEntry[] | undefined,
  path: FieldPath,
): FieldError[] {
  return errorsOfEach(entries ?? [], (entry, i) => {
    if (isPlainEntry(entry)) return [];
    const at = path.index(i);
    const errors: FieldError[] = [];
    if (entry.operation !== 'Apply' && entry.operation !== 'Update') {
      errors.push(
        fieldErrors.invalid(at.child('operation'), entry.operation ?? '', 'must be `Apply` or `Update`'),
      );
    }
    if (entry.fieldsType && entry.fieldsType !== 'FieldsV1') {
      errors.push(fieldErrors.invalid(at.child('fieldsType'), entry.fieldsType, 'must be `FieldsV1`'));
    }
    errors.push(...validateFieldManager(entry.manager ?? '', at.child('manager')));
    if (utf8Length(entry.subresource ?? '') > 256) {
      errors.push(fieldErrors.tooLong(at.child('subresource'), '', 256));
    }
    return errors;
  });
}

/** Returns true for entries that are valid without further checks: nearly all. */
const isPlainEntry = ({ operation, fieldsType, manager, subresource }: ManagedFieldsEntry): boolean =>
  (operation === 'Apply' || operation === 'Update') &&
  fieldsType === 'FieldsV1' &&
  isPlainManager(manager ?? '') &&
  !subresource;

const isPlainManager = (manager: string): boolean => manager.length <= 128 && /^[ -~]*$/.test(manager);

/** Validates the name of a field manager: at most 128 bytes, all printable. */
export function validateFieldManager(manager: string, path: FieldPath): FieldError[] {
  if (isPlainManager(manager)) return [];
  const errors: FieldError[] = [];
  if (utf8Length(manager) > 128) errors.push(fieldErrors.tooLong(path, '', 128));
  let position = 0;
  // Of a name that is far too long, the beginning is sufficient.
  for (const char of manager.slice(0, 256)) {
    if (!/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(char)) {
      const why = `invalid character ${unicodeName(char)} (at position ${position})`;
      errors.push(fieldErrors.invalid(path, manager, why));
    }
    position += utf8Length(char);
  }
  return errors;
}

// Go's %#U: the code, and the character if it is printable, which is never the case here.
const unicodeName = (char: string) =>
  `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** Validates a LabelSelector object. */
export function validateLabelSelector(
  selector: LabelSelectorObject | null | undefined,
  path: FieldPath,
): FieldError[] {
  if (selector === undefined || selector === null) return [];
  const expressions = path.child('matchExpressions');
  return [
    ...validateLabels(selector.matchLabels, path.child('matchLabels')),
    ...errorsOfEach(selector.matchExpressions ?? [], (requirement, i) => {
      const at = expressions.index(i);
      const values = requirement.values ?? [];
      return [
        ...operatorErrors(requirement.operator, values, at),
        ...validateLabelKey(requirement.key, at.child('key')),
        ...errorsOfEach(values, (value, j) =>
          validateLabelValue(value).map((why) =>
            fieldErrors.invalid(at.child('values').index(j), value, why),
          ),
        ),
      ];
    }),
  ];
}

function operatorErrors(operator: string, values: string[], path: FieldPath): FieldError[] {
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length > 0) return [];
      return [
        fieldErrors.required(path.child('values'), "must be specified when `operator` is 'In' or 'NotIn'"),
      ];
    case 'Exists':
    case 'DoesNotExist':
      if (values.length === 0) return [];
      return [
        fieldErrors.forbidden(
          path.child('values'),
          "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        ),
      ];
    default:
      return [fieldErrors.invalid(path.child('operator'), operator, 'not a valid selector operator')];
  }
}
