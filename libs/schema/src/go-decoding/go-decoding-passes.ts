import { DividedVisit, isObject, type JsonObject, type JsonValue, type Passes } from '@annex/machinery';
import { eachPart } from '../divided-parts.ts';
import type { SchemaNode } from '../node.ts';
import { decoders, describe, isCustomDecoded, locateIn, type Problem } from './go-decoding.ts';

/** Compiles the decoding of large values: the errors are those of `compileGoDecoder`. */
export function compileGoDecoderInPasses(root: SchemaNode): (value: JsonValue) => Passes<string | undefined> {
  const decoderOf = decoders();
  function* decodeLarge(
    node: SchemaNode,
    value: JsonValue,
    first: Problem | undefined,
    visits: DividedVisit,
  ): Passes<Problem | undefined> {
    const parts = partsOf(node, value);
    if (parts === undefined) return decoderOf(node)(value, first);
    let problem = first;
    yield* eachPart(value as JsonObject, visits, {
      atOnce(part, key) {
        const child = problem?.final ? undefined : parts.typeOf(key);
        if (child !== undefined) problem = parts.locate(key, decoderOf(child)(part, problem), problem);
      },
      *inPasses(part, key) {
        const child = problem?.final ? undefined : parts.typeOf(key);
        if (child === undefined) return;
        problem = parts.locate(key, yield* decodeLarge(child, part, problem, visits), problem);
      },
    });
    return problem;
  }
  return function* (value) {
    const problem = yield* decodeLarge(root, value, undefined, new DividedVisit());
    return problem && describe(problem);
  };
}

/** The parts of a struct, a map or a list. */
interface Parts {
  /** Returns the type of a part; undefined for an unknown field, which is not decoded. */
  typeOf(key: string | number): SchemaNode | undefined;
  locate(key: string | number, found: Problem | undefined, first: Problem | undefined): Problem | undefined;
}

/** Returns undefined for what has no parts of its own to be decoded, or is of another type. */
function partsOf(node: SchemaNode, value: JsonValue): Parts | undefined {
  if (isCustomDecoded(node)) return undefined;
  const { properties, additionalProperties, items } = node;
  if (properties !== undefined) {
    const locate = locateIn(node);
    return isObject(value)
      ? {
          typeOf: (name) => properties.get(String(name)),
          locate: (name, found, first) => locate(String(name), found, first),
        }
      : undefined;
  }
  if (additionalProperties !== undefined && additionalProperties !== true) {
    return isObject(value) ? equalParts(additionalProperties) : undefined;
  }
  return items !== undefined && Array.isArray(value) ? equalParts(items) : undefined;
}

/** Problems of members and items do not name them. */
const equalParts = (node: SchemaNode): Parts => ({ typeOf: () => node, locate: (_key, found) => found });
