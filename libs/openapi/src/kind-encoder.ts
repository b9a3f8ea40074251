import type { JsonObject } from '@annex/machinery';
import type { CustomKind, PublishedKind, ResourceDiscovery } from '@annex/kinds';
import { isScaled, sharedComponents } from './custom-documents.ts';
import { openApiDocument } from './document.ts';
import { hasPlainNames, type KindWords, markerKind, TextTemplate, wordsOf } from './kind-words.ts';
import { kindSchema, listSchema, publishedSchemas } from './published-schema.ts';
import type { MembersTemplate, NamedMember, V2Form } from './v2-forms.ts';
import type { Piece } from './v2-document.ts';
import { emptyPieces, type MemberPiece, type MemberPieces } from './v2-members.ts';
import { definitionToV2 } from './v2-schema.ts';
import { membersOfV2 } from './v2.ts';

/** The operations of the kinds that differ only in their names. */
interface Shape {
  paths: MembersTemplate;
  names: readonly TextTemplate[];
  parameters: readonly MemberPiece[];
}

/**
 * Encodes the members that custom kinds add to the merged document. The definition of a kind is encoded once and kept. Its paths, which
 * are most of its bytes, and the definition of its list differ from those of others only in names: they are made on demand from templates.
 */
export class KindEncoder {
  readonly #form: V2Form;
  readonly #shapes = new Map<string, Shape>();
  readonly #definitions = new WeakMap<PublishedKind, readonly MemberPiece[]>();
  readonly #shared = new Map<boolean, readonly MemberPiece[]>();
  /** The definition of the list of a kind without selectable fields. */
  readonly #list: MembersTemplate;

  constructor(form: V2Form) {
    this.#form = form;
    const [name, component] = listSchema(markerKind);
    this.#list = form.template('definitions', [[name, definitionToV2(component)]]);
  }

  /** Returns the pieces of the kinds of one version; `pause` is called between them. */
  async pieces(kinds: readonly CustomKind[], pause: () => Promise<void> | undefined): Promise<MemberPieces> {
    const pieces = emptyPieces();
    const shapes = new Set<Shape>();
    pieces.definitions.push(...this.#sharedBy(kinds));
    for (const { published, resource } of kinds) {
      const definitions = this.#definitions.get(published) ?? (await this.#define(published, pause));
      pieces.definitions.push(...definitions);
      if (resource !== undefined) {
        const shape = this.#shapeOf(published, resource);
        shapes.add(shape);
        pieces.paths.push(pathsOf(published, shape));
      }
      await pause();
    }
    for (const { parameters } of shapes) pieces.parameters.push(...parameters);
    return pieces;
  }

  #sharedBy(kinds: readonly CustomKind[]): readonly MemberPiece[] {
    const hasScale = kinds.some(({ resource }) => resource !== undefined && isScaled(resource));
    let made = this.#shared.get(hasScale);
    if (made === undefined) {
      const components = Object.entries(sharedComponents(hasScale));
      made = components.map(([name, component]) => this.#definition([name, component as JsonObject]));
      this.#shared.set(hasScale, made);
    }
    return made;
  }

  async #define(
    published: PublishedKind,
    pause: () => Promise<void> | undefined,
  ): Promise<readonly MemberPiece[]> {
    // Each of these steps is a walk over the schema, which may be large.
    const [name, component] = kindSchema(published);
    await pause();
    const definition = definitionToV2(component);
    await pause();
    const piece = this.#form.member('definitions', name, definition);
    await pause();
    const made = [{ name, piece }, this.#listOf(published)];
    this.#definitions.set(published, made);
    return made;
  }

  #listOf(published: PublishedKind): MemberPiece {
    if (published.selectableFields !== undefined) return this.#definition(listSchema(published));
    const words = wordsOf(published);
    return { name: words.listComponent, piece: filled(this.#list, published, words) };
  }

  #definition([name, component]: NamedMember): MemberPiece {
    return { name, piece: this.#form.member('definitions', name, definitionToV2(component)) };
  }

  #shapeOf(published: PublishedKind, resource: ResourceDiscovery): Shape {
    const key = shapeKey(published, resource);
    let shape = this.#shapes.get(key);
    if (shape === undefined) this.#shapes.set(key, (shape = this.#newShape(published, resource)));
    return shape;
  }

  #newShape(published: PublishedKind, resource: ResourceDiscovery): Shape {
    const { group, version, plural, listKind } = markerKind;
    const document = openApiDocument({
      group,
      version,
      custom: true,
      resources: [markedResource(published, resource)],
      schemas: { ...sharedComponents(isScaled(resource)), ...publishedSchemas(markerKind) },
      listKinds: new Map([[plural, listKind]]),
    });
    const paths: NamedMember[] = [];
    const parameters: MemberPiece[] = [];
    for (const [section, name, value] of membersOfV2(document)) {
      if (section === 'paths') paths.push([name, value]);
      if (section === 'parameters') parameters.push({ name, piece: this.#form.member(section, name, value) });
    }
    return {
      paths: this.#form.template('paths', paths),
      names: paths.map(([name]) => new TextTemplate(name)),
      parameters,
    };
  }
}

function pathsOf(published: PublishedKind, { paths, names }: Shape): MemberPiece {
  return {
    names() {
      const words = wordsOf(published);
      return names.map((name) => name.fill(words));
    },
    piece: filled(paths, published, wordsOf(published)),
  };
}

/** Returns members with the names of a kind, which are made on demand: the names are not kept. */
const filled = (template: MembersTemplate, published: PublishedKind, words: KindWords): Piece => ({
  length: template.size(words),
  make: () => template.fill(wordsOf(published)),
});

/** Returns whether the members of these kinds can be made by a {@link KindEncoder}. */
export const areEncodable = (kinds: readonly CustomKind[]): boolean =>
  kinds.every(({ published }) => hasPlainNames(published));

/** Returns the resource with the names of the marker kind. */
function markedResource(published: PublishedKind, resource: ResourceDiscovery): ResourceDiscovery {
  const { group, version, kind } = markerKind;
  const marked = (of: ResourceDiscovery['responseKind']) =>
    of.group === published.group && of.version === published.version && of.kind === published.kind
      ? { group, version, kind }
      : of;
  const subresources = resource.subresources?.map((subresource) => ({
    ...subresource,
    responseKind: marked(subresource.responseKind),
  }));
  return {
    ...resource,
    resource: markerKind.plural,
    singularResource: '',
    responseKind: marked(resource.responseKind),
    ...(subresources && { subresources }),
  };
}

/** Returns a text that is the same for kinds whose operations differ only in their names. */
function shapeKey(published: PublishedKind, resource: ResourceDiscovery): string {
  const { scope, verbs, responseKind, subresources } = markedResource(published, resource);
  return JSON.stringify([scope, verbs, responseKind, subresources]);
}
