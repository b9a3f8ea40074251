/**
 * The maximum number of unknown fields of one object that are reported; kube-apiserver has no limit for custom
 * resources. 3 MiB can hold 290,000 unknown fields, and the path of each can have hundreds of names.
 */
export const maxUnknownFields = 1000;

/**
 * The characters of the paths that are reported of one object; kube-apiserver has no limit. The names on a path can have megabytes, and
 * the paths of all fields below them repeat these.
 */
export const maxUnknownFieldChars = 256 * 1024;

/** A removed field, or those below a value with this path. */
type Removed = string | { readonly head: string; readonly below: readonly Removed[] };

/** The paths of the fields that a walk removes. They begin with `.name` or `[index]`. */
export class RemovedFields {
  readonly #fields: Removed[] = [];
  #count = 0;

  /** How many there are at this level. */
  get length(): number {
    return this.#fields.length;
  }

  /** Notes a removed field. Fields beyond the limit are removed but not reported. */
  note(path: string): void {
    if (this.#count++ < maxUnknownFields) this.#fields.push(path);
  }

  /** Puts a name before the paths that were noted since there were `from`. */
  nest(from: number, head: string): void {
    this.#fields.push({ head, below: this.#fields.splice(from) });
  }

  /** Returns the paths up to the limit of their length, and at least one. */
  paths(): string[] {
    const paths: string[] = [];
    let left = maxUnknownFieldChars;
    const add = (fields: readonly Removed[], head: string): void => {
      for (const field of fields) {
        if (left <= 0) return;
        if (typeof field !== 'string') {
          add(field.below, head + field.head);
          continue;
        }
        left -= head.length + field.length;
        if (left > 0 || paths.length === 0) paths.push(head + field);
      }
    };
    add(this.#fields, '');
    return paths;
  }
}
