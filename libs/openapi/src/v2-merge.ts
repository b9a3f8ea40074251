import { finishInSlices } from '@annex/machinery';
import { createPacer } from '@annex/runtime';
import { areEncodable, KindEncoder } from './kind-encoder.ts';
import { OwnMembers } from './own-members.ts';
import { digest, type Encoded, type LazyDocument } from './published-documents.ts';
import { type Piece, V2Document } from './v2-document.ts';
import { addForeign, type ForeignDocument, MergedMembers } from './v2-foreign.ts';
import { type V2Form, v2Forms, type V2Type } from './v2-forms.ts';
import { emptyPieces, type MemberPieces, namesIn } from './v2-members.ts';
import { type BySection, membersOfV2, type V2Member, type V2Section } from './v2.ts';

/** The encoded members of documents, by path. */
type Known = Map<string, { document: LazyDocument; pieces: MemberPieces }>;
type Documents = readonly [path: string, document: LazyDocument][];

/**
 * Merges documents of version 3 into one of version 2. Unchanged documents and kinds are not read again, so
 * that a change of one custom resource costs only its own conversion. If several documents have a member, the
 * first one applies. Documents of extension API servers are added in order. Concurrent callers share one
 * merge, which yields to the event loop.
 */
export class V2Merger {
  readonly #form: V2Form;
  readonly #kinds: KindEncoder;
  readonly #ownMembers = new OwnMembers();
  #known: Known = new Map();
  #merged: { hash: string; result: Promise<Encoded> } | undefined;

  constructor(type: V2Type) {
    this.#form = v2Forms[type];
    this.#kinds = new KindEncoder(this.#form);
  }

  async merge(own: Documents, foreign: readonly ForeignDocument[], now: number): Promise<Encoded> {
    const hashes = [...own.map(([path, { hash }]) => `${path} ${hash}`), ...foreign.map(({ hash }) => hash)];
    const hash = digest(hashes.join('\n'));
    if (this.#merged?.hash !== hash) {
      const forget = () => {
        if (this.#merged?.hash === hash) this.#merged = undefined;
      };
      const result = this.#merge(own, foreign, forget).then((pieces) => ({
        pieces,
        length: pieces.length,
        hash,
        madeAt: now,
      }));
      this.#merged = { hash, result };
      result.catch(forget);
    }
    return await this.#merged.result;
  }

  /** `onLoss` is called for documents that could not be loaded; the next request loads them again. */
  async #merge(own: Documents, foreign: readonly ForeignDocument[], onLoss: () => void): Promise<V2Document> {
    const known: Known = new Map();
    const pace = createPacer();
    for (const [path, document] of own) {
      const pieces = await this.#piecesOf(path, document, pace);
      if (pieces) known.set(path, { document, pieces });
    }
    this.#known = known;
    if (known.size < own.length) onLoss();
    const all = [...known.values()].map(({ pieces }) => pieces);
    // Changes of local definitions by extension API servers apply.
    if (foreign.length > 0) all.unshift(await this.#foreignPieces(foreign, pace));
    return new V2Document(this.#form, {
      paths: await select(all, 'paths', pace),
      definitions: await select(all, 'definitions', pace),
      parameters: await select(all, 'parameters', pace),
    });
  }

  async #piecesOf(path: string, document: LazyDocument, pace: Pace): Promise<MemberPieces | undefined> {
    const known = this.#known.get(path);
    if (known?.document.hash === document.hash) return known.pieces;
    const kinds = document.kinds?.();
    if (kinds !== undefined && areEncodable(kinds)) return await this.#kinds.pieces(kinds, pace);
    const loaded = await Promise.resolve(document.load()).catch(() => undefined);
    return loaded && (await this.#write(membersOfV2(loaded), pace));
  }

  async #write(members: Iterable<V2Member>, pace: Pace): Promise<MemberPieces> {
    const pieces = emptyPieces();
    for (const [section, name, value] of members) {
      pieces[section].push({ name, piece: this.#form.member(section, name, value) });
      const pause = pace();
      if (pause) await pause;
    }
    return pieces;
  }

  async #foreignPieces(foreign: readonly ForeignDocument[], pace: Pace): Promise<MemberPieces> {
    const own = [...this.#known].map(([path, { document, pieces }]) => ({
      path,
      document,
      names: bySection((section) => new Set(namesIn(pieces, section))),
    }));
    const documents = foreign.map(({ document }) => document);
    const names = bySection((section) => new Set(own.flatMap((one) => [...one.names[section]])));
    const merged = new MergedMembers(names, await this.#ownMembers.shared(own, documents));
    for (const document of documents) {
      await finishInSlices(addForeign(merged, document), pace);
    }
    return await this.#write(merged.added(), pace);
  }
}

const bySection = <T>(of: (section: V2Section) => T): BySection<T> => ({
  paths: of('paths'),
  definitions: of('definitions'),
  parameters: of('parameters'),
});

type Pace = ReturnType<typeof createPacer>;

/** Returns the pieces of a section without those whose names occurred before. */
async function select(documents: Iterable<MemberPieces>, section: V2Section, pace: Pace): Promise<Piece[]> {
  const seen = new Set<string>();
  const selected: Piece[] = [];
  for (const pieces of documents) {
    for (const one of pieces[section]) {
      if ('name' in one) {
        if (seen.has(one.name)) continue;
        seen.add(one.name);
      }
      selected.push(one.piece);
    }
    const pause = pace();
    if (pause) await pause;
  }
  return selected;
}
