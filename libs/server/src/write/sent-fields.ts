import { formatTime, isObject, type KubeObject, type ManagedFieldsEntry } from '@annex/machinery';

export const maxRememberedShapes = 1000;
export const maxRememberedShapeLength = 4096;

/**
 * Remembers what managedFields say of objects that are answered and not stored: of two with the same fields they say the same,
 * whatever the values, but for the time. All lists of such kinds are atomic, as those of reviews are, so that what is in
 * them is nobody's field.
 */
export class SentFields {
  readonly #entries = new Map<string, ManagedFieldsEntry | undefined>();

  /** Writes the entry that was remembered into the object; false where there is none. */
  recall(shape: string | undefined, object: KubeObject, now: number): boolean {
    if (shape === undefined) return false;
    const entry = this.#entries.get(shape);
    if (entry !== undefined) object.metadata.managedFields = [{ ...entry, time: formatTime(now) }];
    return entry !== undefined || this.#entries.has(shape);
  }

  /** Keeps what was noted in an object of this shape. */
  remember(shape: string | undefined, object: KubeObject): void {
    if (shape === undefined) return;
    if (this.#entries.size >= maxRememberedShapes) this.#entries.clear();
    this.#entries.set(shape, object.metadata.managedFields?.[0]);
  }
}

/** Which fields an object has that somebody may own; nothing where its metadata says more than a name. */
export function shapeOf(object: KubeObject, manager: string): string | undefined {
  for (const name in object.metadata) if (name !== 'name' && name !== 'namespace') return undefined;
  let shape = `${object.apiVersion} ${object.kind} ${manager.length} ${manager} `;
  for (const name in object) if (!identity.has(name)) shape += fieldOf(name, object[name]);
  return shape.length <= maxRememberedShapeLength ? shape : undefined;
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
