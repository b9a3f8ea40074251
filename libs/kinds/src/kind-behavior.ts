import { isKnownKind } from './builtin/unserved-kinds.ts';
import { patchTypes } from './patch-types.ts';

/** What an endpoint can answer with. */
export interface ResponseForms {
  /** kube looks for a route with the media type first; of custom resources it asks their handler alone. */
  routed: boolean;
  /** What is not turned into a meta kind has a protobuf form. */
  protobuf: boolean;
  /** The route of a collection answers watches too. */
  collection?: boolean;
  /** Nothing is turned into a meta kind. */
  plain?: boolean;
  /** What it answers with has no columns: it is nobody's table. */
  untabled?: boolean;
  /** Its route names plain text too, which its answers are. */
  text?: boolean;
}

/**
 * What kube-apiserver does with kinds that it has Go types of in one way and with custom resources in another. Each question has a
 * name of its own, and every kind says which way it goes.
 */
export interface KindBehavior {
  /** Who answers to methods and paths that nobody handles: go-restful, or the one handler of all custom resources. */
  router: 'restful' | 'custom';
  /**
   * Objects are decoded into a Go type, which refuses what does not fit, drops unknown fields and has fields that are always written;
   * or they are JSON of any kind, whose type is checked when the content is.
   */
  typed: boolean;
  /** The members of objects are kept and printed in order of their names, and lists have all of their members. */
  sorted: boolean;
  /** The media types of patches, in the order kube lists them. */
  patchTypes: readonly string[];
  /** The forms in which one object is answered. */
  objectForms: ResponseForms;
  /** The forms in which a collection is answered. */
  listForms: ResponseForms;
  /** Objects have a protobuf form. Whoever asks for it where there is none is refused when the answer is written. */
  protobuf: boolean;
  /** The keys of objects in the store, as messages of a Go server show them. */
  keys: {
    /** What all of them begin with. */
    root: string;
    /** The group of the kind comes next. */
    byGroup: boolean;
  };
  /** True for a kind that a body may name: it is refused as another one, and not as none at all. */
  hasKind(group: string, version: string, kind: string): boolean;
}

/** Kinds that kube-apiserver has Go types of. */
export const builtinBehavior: KindBehavior = {
  router: 'restful',
  typed: true,
  sorted: false,
  patchTypes: [patchTypes.json, patchTypes.merge, patchTypes.strategic, patchTypes.apply],
  objectForms: { routed: true, protobuf: true },
  listForms: { routed: true, protobuf: true, collection: true },
  protobuf: true,
  keys: { root: '/registry', byGroup: false },
  hasKind: isKnownKind,
};

/** Custom resources. */
export const customBehavior: KindBehavior = {
  router: 'custom',
  typed: false,
  sorted: true,
  patchTypes: [patchTypes.json, patchTypes.merge, patchTypes.apply],
  objectForms: { routed: false, protobuf: false },
  listForms: { routed: false, protobuf: false, collection: true },
  protobuf: false,
  keys: { root: '/registry', byGroup: true },
  hasKind: isKnownKind,
};

/** Kinds of an extension API server whose types are declared as in Go, without generated messages; `knows` tells all of its kinds. */
export const typedBehavior = (group: string, hasKind: KindBehavior['hasKind']): KindBehavior => ({
  ...builtinBehavior,
  protobuf: false,
  keys: { root: `/registry/${group}`, byGroup: true },
  hasKind,
});
