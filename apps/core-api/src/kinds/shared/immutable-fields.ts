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

/** An immutable field, by its dotted path; `text` replaces the usual message. */
export interface ImmutableField {
  path: string;
  text?: string;
}

/** Checks that an update does not change these fields. */
export function immutable(
  ...list: readonly (string | ImmutableField)[]
): (object: KubeObject, old: KubeObject) => FieldError[] {
  const immutableFields = list.map((field) => {
    const { path, text }: ImmutableField = typeof field === 'string' ? { path: field } : field;
    return { names: path.split('.'), text };
  });
  return (object, old) =>
    immutableFields.flatMap(({ names, text }) => {
      const [now, before] = [valueUnder(names, object), valueUnder(names, old)];
      if (deepEqual(now, before)) return [];
      const at = FieldPath.of(...names);
      return [
        text === undefined ? fieldErrors.invalid(at, now, fieldImmutable) : fieldErrors.forbidden(at, text),
      ];
    });
}

const valueUnder = (names: readonly string[], object: unknown): unknown =>
  names.reduce<unknown>((value, name) => (isObject(value) ? getOwn(value, name) : undefined), object);
