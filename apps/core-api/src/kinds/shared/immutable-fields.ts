import {
  deepEqual,
  emptyFieldOf,
  type FieldError,
  fieldErrors,
  fieldImmutable,
  FieldPath,
  getOwn,
  goStructPointer,
  goText,
  type GoValue,
  isObject,
  type JsonValue,
  type KubeObject,
} from '@annex/machinery';

/** An immutable field, by its dotted path. */
export interface ImmutableField {
  path: string;
  /** Replaces the usual message. */
  text?: string;
  /** Returns the printed value; by default the value itself. */
  print?: GoValue;
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
    immutableFields.flatMap(({ names, text, print }) => {
      const [now, before] = [valueUnder(names, object), valueUnder(names, old)];
      if (deepEqual(now, before)) return [];
      const at = FieldPath.of(...names);
      return [
        text === undefined
          ? fieldErrors.invalid(at, printed(now ?? emptyUnder(names, object), print), fieldImmutable)
          : fieldErrors.forbidden(at, text),
      ];
    });
}

const printed = (value: unknown, print?: GoValue): unknown =>
  print === undefined ? value : print(value as JsonValue | undefined);

/** Returns the empty list or map that was sent as a field. */
function emptyUnder(names: readonly string[], object: KubeObject): JsonValue | undefined {
  const parent = valueUnder(names.slice(0, -1), object);
  return isObject(parent) ? emptyFieldOf(parent, names.at(-1) ?? '') : undefined;
}

/** Returns immutable fields whose Go type is a string, which is empty if it is absent. */
export const immutableStrings = (...paths: readonly string[]): ImmutableField[] =>
  paths.map((path) => ({ path, print: goText }));

/** Returns the Go value of an object reference; null if it is absent. */
export const goReference = goStructPointer([
  ['Kind', 'kind', goText],
  ['Namespace', 'namespace', goText],
  ['Name', 'name', goText],
  ['UID', 'uid', goText],
  ['APIVersion', 'apiVersion', goText],
  ['ResourceVersion', 'resourceVersion', goText],
  ['FieldPath', 'fieldPath', goText],
]);

const valueUnder = (names: readonly string[], object: unknown): unknown =>
  names.reduce<unknown>((value, name) => (isObject(value) ? getOwn(value, name) : undefined), object);
