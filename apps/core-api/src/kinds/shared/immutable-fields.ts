import {
  deepEqual,
  type FieldError,
  fieldErrors,
  fieldImmutable,
  FieldPath,
  getOwn,
  isObject,
  type KubeObject,
} from '@annex/machinery';

/** An immutable field, by its dotted path. */
export interface ImmutableField {
  path: string;
  /** Replaces the usual message. */
  text?: string;
  /** Returns the printed value; by default the value itself. */
  print?(value: unknown): unknown;
}

/** Checks that an update does not change these fields. */
export function immutable(
  ...list: readonly (string | ImmutableField)[]
): (object: KubeObject, old: KubeObject) => FieldError[] {
  const immutableFields = list.map((field) => {
    const { path, ...rest }: ImmutableField = typeof field === 'string' ? { path: field } : field;
    return { names: path.split('.'), ...rest };
  });
  return (object, old) =>
    immutableFields.flatMap(({ names, text, print = same }) => {
      const [now, before] = [valueUnder(names, object), valueUnder(names, old)];
      if (deepEqual(now, before)) return [];
      const at = FieldPath.of(...names);
      return [
        text === undefined
          ? fieldErrors.invalid(at, print(now), fieldImmutable)
          : fieldErrors.forbidden(at, text),
      ];
    });
}

const same = (value: unknown): unknown => value;

/** Returns immutable fields whose Go type is a string, which is empty if it is absent. */
export const immutableStrings = (...paths: readonly string[]): ImmutableField[] =>
  paths.map((path) => ({ path, print: (value) => value ?? '' }));

const referenceFields = {
  Kind: 'kind',
  Namespace: 'namespace',
  Name: 'name',
  UID: 'uid',
  APIVersion: 'apiVersion',
  ResourceVersion: 'resourceVersion',
  FieldPath: 'fieldPath',
};

/** Returns the Go value of an object reference, as kube-apiserver prints it; null if it is absent. */
export const goReference = (value: unknown): unknown =>
  isObject(value)
    ? Object.fromEntries(Object.entries(referenceFields).map(([go, name]) => [go, getOwn(value, name) ?? '']))
    : null;

const valueUnder = (names: readonly string[], object: unknown): unknown =>
  names.reduce<unknown>((value, name) => (isObject(value) ? getOwn(value, name) : undefined), object);
