import type { JsonObject } from '@annex/machinery';
import { createPacer } from '@annex/runtime';
import type { LazyDocument } from './published-documents.ts';
import type { Swagger } from './swagger.ts';
import { membersOfV2, type V2Member, type V2Section } from './v2.ts';
import { renamedSections } from './v2-foreign.ts';

/** The names that a local document adds to the merged document. */
export interface OwnNames {
  path: string;
  document: LazyDocument;
  names: Readonly<Record<V2Section, Iterable<string>>>;
}

/** By the path of a document: its members by key. */
type Kept = Map<string, { hash: string; members: Map<string, V2Member> }>;

const keyOf = (section: V2Section, name: string): string => `${section}/${name}`;

/**
 * Keeps those members of local documents whose names other servers also use. It keeps nothing else of these
 * documents, and reads a document again only after a change.
 */
export class OwnMembers {
  #kept: Kept = new Map();

  /** Returns the shared members. If several documents have a member, the first one applies. */
  async shared(own: readonly OwnNames[], foreign: readonly Swagger[]): Promise<V2Member[]> {
    const required = requiredNames(own, foreign);
    const kept: Kept = new Map();
    for (const { path, document } of own) {
      const names = required.get(path);
      if (names === undefined) continue;
      const before = this.#kept.get(path);
      const isKnown = before?.hash === document.hash && [...names].every((name) => before.members.has(name));
      const members = isKnown ? before.members : await read(document, names);
      kept.set(path, { hash: document.hash, members });
    }
    this.#kept = kept;
    return [...kept.values()].flatMap(({ members }) => [...members.values()]);
  }
}

/** Returns the required keys by the path of the document. */
function requiredNames(own: readonly OwnNames[], foreign: readonly Swagger[]): Map<string, Set<string>> {
  const places = new Map<string, string>();
  for (const { path, names } of own) {
    for (const section of renamedSections) {
      for (const name of names[section]) {
        const key = keyOf(section, name);
        if (!places.has(key)) places.set(key, path);
      }
    }
  }
  const required = new Map<string, Set<string>>();
  for (const document of foreign) {
    for (const section of renamedSections) {
      for (const name of Object.keys(document[section] ?? {})) {
        const key = keyOf(section, name);
        const path = places.get(key);
        if (path !== undefined) required.set(path, (required.get(path) ?? new Set()).add(key));
      }
    }
  }
  return required;
}

async function read(document: LazyDocument, names: ReadonlySet<string>): Promise<Map<string, V2Member>> {
  const found = new Map<string, V2Member>();
  const loaded: JsonObject = (await document.load()) ?? {};
  const pace = createPacer();
  for (const member of membersOfV2(loaded)) {
    const key = keyOf(member[0], member[1]);
    if (names.has(key)) found.set(key, member);
    const pause = pace();
    if (pause) await pause;
  }
  return found;
}
