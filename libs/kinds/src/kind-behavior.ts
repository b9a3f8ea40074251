import { isKnownKind } from './builtin/unserved-kinds.ts';
import { patchTypes } from './patch-types.ts';

/** The possible forms of an endpoint's responses. */
export interface ResponseForms {
  /** True if kube-apiserver finds a route by media type first; custom resources have only a handler. */
  routed: boolean;
  /** True if the stored kind has a protobuf form. */
  protobuf: boolean;
  /** True if the route of a collection also serves watches. */
  collection?: boolean;
  /** True if objects cannot be converted to a meta kind. */
  plain?: boolean;
  /** True if the objects have no Table form. */
  untabled?: boolean;
  /** True if the route also produces plain text. */
  text?: boolean;
}

/**
 * The differences between kinds with Go types and custom resources in kube-apiserver. Each difference has a
 * name, and every kind selects one side.
 */
export interface KindBehavior {
  /**
   * The router that responds to unsupported methods and paths: go-restful, or the single handler of all
   * custom resources.
   */
  router: 'restful' | 'custom';
  /**
   * True if objects are decoded into a Go type, which refuses invalid values, drops unknown fields and always
   * encodes some fields. False if they are arbitrary JSON, whose types are checked with the content.
   */
  typed: boolean;
  /**
   * True if the members of objects are stored and encoded in sorted order, and lists have all of their
   * members.
   */
  sorted: boolean;
  /** The media types of patches, in kube-apiserver's order. */
  patchTypes: readonly string[];
  /** The forms of a response with one object. */
  objectForms: ResponseForms;
  /** The forms of a response with a collection. */
  listForms: ResponseForms;
  /**
   * True if objects have a protobuf form. If not, requests for protobuf are refused when the response is
   * encoded.
   */
  protobuf: boolean;
  /** The keys of objects in kube-apiserver's store, as messages contain them. */
  keys: {
    /** The common prefix. */
    root: string;
    /** True if the group of the kind follows. */
    byGroup: boolean;
  };
  /**
   * Returns whether a body may name the kind: it is then refused as another kind, instead of as an unknown
   * one.
   */
  hasKind(group: string, version: string, kind: string): boolean;
}

/** The behavior of kinds with Go types. */
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

/** The behavior of custom resources. */
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

/**
 * Returns the behavior of an extension API server's kinds whose types are declared as in Go, without
 * generated messages. `hasKind` includes all of its kinds.
 */
export const typedBehavior = (group: string, hasKind: KindBehavior['hasKind']): KindBehavior => ({
  ...builtinBehavior,
  protobuf: false,
  keys: { root: `/registry/${group}`, byGroup: true },
  hasKind,
});
