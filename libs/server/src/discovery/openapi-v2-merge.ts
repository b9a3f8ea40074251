import { Buffer } from 'node:buffer';
import { type JsonObject, stringifyJson } from '@annex/machinery';
import { digest, type Encoded, type LazyDocument } from './published-documents.ts';
import { encodeOpenApiV2 } from './openapi-v2-protobuf.ts';
import { partsOfV2, v2Frame } from './openapi-v2.ts';

const sections = ['paths', 'definitions', 'parameters'] as const;
type Section = (typeof sections)[number];
type BySection<T> = Readonly<Record<Section, T>>;

/** How the merged document is written, from pieces that are written once. */
interface Form {
  piece(section: Section, name: string, value: JsonObject): Buffer;
  join(pieces: BySection<readonly Buffer[]>): Buffer;
}

const text = (value: string): Buffer => Buffer.from(value);
const comma = text(',');
const separated = (pieces: readonly Buffer[]): Buffer[] =>
  pieces.flatMap((piece, i) => (i === 0 ? [piece] : [comma, piece]));

/** The forms by their media types. */
export const v2Forms = {
  'application/json': {
    piece: (_section, name, value) => text(`${JSON.stringify(name)}:${stringifyJson(value)}`),
    join: (pieces) =>
      Buffer.concat([
        text(stringifyJson(v2Frame).slice(0, -1)),
        ...sections.flatMap((section) => [text(`,"${section}":{`), ...separated(pieces[section]), text('}')]),
        text('}'),
      ]),
  },
  // Messages that follow one another are one message with the fields of all.
  'application/com.github.proto-openapi.spec.v2.v1.0+protobuf': {
    piece: (section, name, value) => encodeOpenApiV2({ [section]: { [name]: value } }),
    join: (pieces) =>
      Buffer.concat([encodeOpenApiV2(v2Frame), ...sections.flatMap((section) => pieces[section])]),
  },
} as const satisfies Record<string, Form>;

export type V2Type = keyof typeof v2Forms;

type Pieces = BySection<readonly [name: string, piece: Buffer][]>;

const forEachSection = <T>(make: (section: Section) => T): BySection<T> => ({
  paths: make('paths'),
  definitions: make('definitions'),
  parameters: make('parameters'),
});

/**
 * Merges documents of version 3 into one of version 2. A document that did not change is not read again, so that a
 * change of one custom resource costs no more than its own conversion. What several documents have comes from the first.
 */
export class V2Merger {
  readonly #form: Form;
  #known = new Map<string, { hash: string; pieces: Pieces }>();
  #merged: Encoded | undefined;

  constructor(type: V2Type) {
    this.#form = v2Forms[type];
  }

  async merge(documents: readonly [path: string, document: LazyDocument][], now: number): Promise<Encoded> {
    const hash = digest(documents.map(([path, document]) => `${path} ${document.hash}`).join('\n'));
    if (this.#merged?.hash === hash) return this.#merged;
    const known = new Map<string, { hash: string; pieces: Pieces }>();
    for (const [path, document] of documents) {
      const pieces = await this.#piecesOf(path, document);
      if (pieces) known.set(path, { hash: document.hash, pieces });
    }
    this.#known = known;
    const bytes = this.#form.join(forEachSection((section) => this.#select(section)));
    // A document that could not be had is asked for again by the next reader.
    const merged = { bytes, hash, madeAt: now };
    if (known.size === documents.length) this.#merged = merged;
    return merged;
  }

  async #piecesOf(path: string, { hash, load }: LazyDocument): Promise<Pieces | undefined> {
    const known = this.#known.get(path);
    if (known?.hash === hash) return known.pieces;
    const document = await Promise.resolve(load()).catch(() => undefined);
    if (document === undefined) return undefined;
    const parts = partsOfV2(document);
    const write = (section: Section): [string, Buffer][] =>
      Object.entries(parts[section]).map(([name, value]) => [
        name,
        this.#form.piece(section, name, value as JsonObject),
      ]);
    return forEachSection(write);
  }

  #select(section: Section): Buffer[] {
    const seen = new Map<string, Buffer>();
    for (const { pieces } of this.#known.values()) {
      for (const [name, piece] of pieces[section]) if (!seen.has(name)) seen.set(name, piece);
    }
    return [...seen.values()];
  }
}
