import { formatTime, isObject, type KubeObject, type ManagedFieldsEntry } from '@annex/machinery';

/** Shapes in the cache; when it is full, the cache is emptied. */
export const maxCachedShapes = 1000;
/** Characters of a cached shape; longer ones are not cached. */
export const maxCachedShapeLength = 4096;

/**
 * Caches the managedFields of objects that are returned without being stored. Two objects with the same
 * fields have the same entry except for the time, regardless of the values. All lists of such kinds, such as
 * reviews, are atomic, so their items have no owners.
 */
export class SentFields {
  readonly #entries = new Map<string, ManagedFieldsEntry | undefined>();

  /** Writes the cached entry into the object. Returns false if there is none. */
  restore(shape: string | undefined, object: KubeObject, now: number): boolean {
    if (shape === undefined) return false;
    const entry = this.#entries.get(shape);
    if (entry !== undefined) object.metadata.managedFields = [{ ...entry, time: formatTime(now) }];
    return entry !== undefined || this.#entries.has(shape);
  }

  /** Caches the entry of an object of this shape. */
  save(shape: string | undefined, object: KubeObject): void {
    if (shape === undefined) return;
    if (this.#entries.size >= maxCachedShapes) this.#entries.clear();
    this.#entries.set(shape, object.metadata.managedFields?.[0]);
  }
}

/**
 * Returns the ownable fields of an object as text; `undefined` if its metadata has more than name and
 * namespace.
 */
export function shapeOf(object: KubeObject, manager: string): string | undefined {
  for (const name in object.metadata) if (name !== 'name' && name !== 'namespace') return undefined;
  let shape = `${object.apiVersion} ${object.kind} ${manager.length} ${manager} `;
  for (const name in object) if (!identity.has(name)) shape += fieldOf(name, object[name]);
  return shape.length <= maxCachedShapeLength ? shape : undefined;
}

const identity: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

const fieldOf = (name: string, value: unknown): string => `${name.length} ${name} ${formOf(value)}`;

function formOf(value: unknown): string {
  if (typeof value === 'string') return value === '' ? '0' : 'v';
  if (Array.isArray(value)) return value.length > 0 ? 'l' : '0';
  if (!isObject(value)) return value === null ? 'n' : value === 0 || value === false ? '0' : 'v';
  let text = '{';
  for (const name in value) text += fieldOf(name, value[name]);
  return `${text}}`;
}
