import { getOwn, isObject, type JsonObject, type JsonValue } from '@annex/machinery';

/** Reads the fields of an untyped object. Invalid and unknown fields become errors, with their path. */
export class FieldReader {
  readonly path: string;
  readonly #value: JsonObject;
  readonly #errors: string[];
  readonly #read = new Set<string>();

  constructor(value: JsonObject, path: string, errors: string[]) {
    this.#value = value;
    this.path = path;
    this.#errors = errors;
  }

  has(name: string): boolean {
    return this.#get(name) !== undefined;
  }

  text(name: string): string | undefined {
    return this.#typed(name, 'a string', (value) => typeof value === 'string');
  }

  /** A whole number that is at least 0. */
  integer(name: string): number | undefined {
    return this.#typed(
      name,
      'a whole number that is not negative',
      (value) => Number.isSafeInteger(Number(value)) && typeof value !== 'string' && Number(value) >= 0,
      Number,
    );
  }

  bool(name: string): boolean | undefined {
    return this.#typed(name, 'true or false', (value) => typeof value === 'boolean');
  }

  texts(name: string): string[] {
    const isTexts = (value: JsonValue) =>
      Array.isArray(value) && value.every((item) => typeof item === 'string');
    return this.#typed<string[]>(name, 'a list of strings', isTexts) ?? [];
  }

  textMap(name: string): ReadonlyMap<string, string> {
    const isTextMap = (value: JsonValue) =>
      isObject(value) && Object.values(value).every((item) => typeof item === 'string');
    return new Map(
      Object.entries(this.#typed<Record<string, string>>(name, 'a map of strings', isTextMap) ?? {}),
    );
  }

  /** An object whose fields are not read. */
  plain(name: string): JsonObject | undefined {
    return this.#typed(name, 'an object', isObject);
  }

  object(name: string): FieldReader | undefined {
    const value = this.plain(name);
    return value === undefined ? undefined : new FieldReader(value, this.#at(name), this.#errors);
  }

  objects(name: string): FieldReader[] {
    const isObjects = (value: JsonValue) => Array.isArray(value) && value.every(isObject);
    const items = this.#typed<JsonObject[]>(name, 'a list of objects', isObjects) ?? [];
    return items.map((item, index) => new FieldReader(item, `${this.#at(name)}[${index}]`, this.#errors));
  }

  /** Reports an error of a field. */
  report(name: string, problem: string): void {
    this.#errors.push(`${this.#at(name)}: ${problem}`);
  }

  /** Reports the fields that were not read. */
  end(): void {
    for (const name of Object.keys(this.#value))
      if (!this.#read.has(name)) this.report(name, 'unknown field');
  }

  #at(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`;
  }

  #get(name: string): JsonValue | undefined {
    this.#read.add(name);
    return getOwn(this.#value, name) ?? undefined;
  }

  #typed<T>(
    name: string,
    expected: string,
    isValid: (value: JsonValue) => boolean,
    convert: (value: JsonValue) => T = (value) => value as T,
  ): T | undefined {
    const value = this.#get(name);
    if (value === undefined) return undefined;
    if (isValid(value)) return convert(value);
    this.report(name, `must be ${expected}`);
    return undefined;
  }
}
