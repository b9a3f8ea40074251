import {
  type DividedVisit,
  type FieldError,
  isObject,
  type JsonObject,
  type JsonValue,
  type Passes,
} from '@annex/machinery';
import { eachPart } from '../divided-parts.ts';
import type { SchemaNode } from '../node.ts';
import { isNullDropped } from '../null-removal.ts';

/** Visits one embedded resource; an error ends the walk. Nulls in `nullDropped` fields are ignored. */
export type Visit = (
  resource: JsonObject,
  path: string,
  nullDropped: ReadonlySet<string>,
) => FieldError | undefined;

/** The same, and for a resource with many parts. */
export interface Visits {
  atOnce: Visit;
  inPasses(...resource: Parameters<Visit>): Passes<FieldError | undefined>;
}

/** The visits of one large value. */
interface LargeWalk {
  visits: Visits;
  divided: DividedVisit;
}

/** Compiles the walk to the embedded resources of a schema; `undefined` if it has none. */
export function compileWalk(node: SchemaNode): NodeWalk | undefined {
  const walk = new NodeWalk(node);
  return walk.isNeeded ? walk : undefined;
}

/** Walks a value of one node of the schema to its embedded resources. */
class NodeWalk {
  readonly isNeeded: boolean;
  readonly #embedded: boolean;
  readonly #declared: ReadonlyMap<string, SchemaNode>;
  /** The walks of the properties below which there are embedded resources; most nodes have none. */
  #properties = noWalks;
  readonly #additional: NodeWalk | undefined;
  readonly #items: NodeWalk | undefined;
  readonly #nullDropped: ReadonlySet<string>;

  constructor(node: SchemaNode) {
    const { additionalProperties, items } = node;
    this.#embedded = node.embeddedResource === true;
    this.#declared = node.properties ?? noNodes;
    for (const [name, child] of this.#declared) {
      const walk = compileWalk(child);
      if (walk === undefined) continue;
      if (this.#properties === noWalks) this.#properties = new Map();
      this.#properties.set(name, walk);
    }
    this.#nullDropped = this.#embedded ? nullDroppedOf(this.#declared) : noNames;
    const hasSchema = additionalProperties !== undefined && additionalProperties !== true;
    this.#additional = hasSchema ? compileWalk(additionalProperties) : undefined;
    this.#items = items && compileWalk(items);
    this.isNeeded =
      this.#embedded ||
      this.#properties.size > 0 ||
      this.#additional !== undefined ||
      this.#items !== undefined;
  }

  visit(value: JsonValue, path: string, visit: Visit): FieldError | undefined {
    if (Array.isArray(value)) return this.#visitItems(value, path, visit);
    if (!isObject(value)) return undefined;
    const stop = this.#embedded ? visit(value, path, this.#nullDropped) : undefined;
    if (stop !== undefined || !this.#hasParts) return stop;
    for (const name in value) {
      const found = this.#ofMember(name)?.visit(value[name] as JsonValue, this.#pathOf(path, name), visit);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #visitItems(items: JsonValue[], path: string, visit: Visit): FieldError | undefined {
    const walk = this.#items;
    if (walk === undefined) return undefined;
    for (let i = 0; i < items.length; i++) {
      const found = walk.visit(items[i] as JsonValue, `${path}[${i}]`, visit);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  *visitInPasses(value: JsonValue, path: string, walk: LargeWalk): Passes<FieldError | undefined> {
    if (!isObject(value) && !Array.isArray(value)) return undefined;
    const { visits, divided } = walk;
    let found: FieldError | undefined;
    if (this.#embedded && isObject(value)) found = yield* visits.inPasses(value, path, this.#nullDropped);
    if (Array.isArray(value) ? this.#items === undefined : !this.#hasParts) return found;
    const walkOf = (key: string | number): NodeWalk | undefined =>
      typeof key === 'number' ? this.#items : this.#ofMember(key);
    const pathOf = (key: string | number): string =>
      typeof key === 'number' ? `${path}[${key}]` : this.#pathOf(path, key);
    yield* eachPart(value, divided, {
      atOnce: (part, key) => void (found ??= walkOf(key)?.visit(part, pathOf(key), visits.atOnce)),
      *inPasses(part, key) {
        found ??= yield* walkOf(key)?.visitInPasses(part, pathOf(key), walk) ?? nothing();
      },
    });
    return found;
  }

  get #hasParts(): boolean {
    return this.#properties.size > 0 || this.#additional !== undefined;
  }

  #ofMember(name: string): NodeWalk | undefined {
    return this.#declared.has(name) ? this.#properties.get(name) : this.#additional;
  }

  #pathOf(path: string, name: string): string {
    return this.#declared.has(name) ? join(path, name) : `${path}[${name}]`;
  }
}

const noWalks = new Map<string, NodeWalk>();
const noNodes: ReadonlyMap<string, SchemaNode> = new Map();
const noNames: ReadonlySet<string> = new Set();

const nullDroppedOf = (declared: ReadonlyMap<string, SchemaNode>): ReadonlySet<string> =>
  new Set([...declared].filter(([, child]) => isNullDropped(child)).map(([name]) => name));

function* nothing(): Passes<undefined> {}

/** Joins a path and a name. */
export const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);
