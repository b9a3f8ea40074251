import { mapMaybePromise } from '@annex/runtime';
import {
  finishSoon,
  type JsonObject,
  type KubeObject,
  parseGroupVersion,
  type Passes,
  type Pause,
} from '@annex/machinery';
import { asJson, type StorageKind } from '@annex/kinds';
import { decodeErrorOf, pruneFields, type StructuralSchema } from '@annex/schema';
import type { Crd } from '../crd/crd.ts';
import type { CompiledCrd } from './compiled-crd.ts';
import { conversionError } from './converter.ts';

/** Returns the key prefix of the objects of a CRD. */
export const storagePrefix = (crd: Crd): string => `/registry/${crd.spec.group}/${crd.spec.names.plural}/`;

/**
 * Defines how a version reads and writes stored objects. A stored object is pruned and defaulted by its stored version, converted, and
 * pruned by the version that reads it. Defaults of the reading version are not added.
 */
export function storageKind(compiled: CompiledCrd, version: string): StorageKind {
  const { crd, converter, storageVersion } = compiled;
  const own = `${crd.spec.group}/${version}`;
  const stored = `${crd.spec.group}/${storageVersion}`;
  return {
    prefix: storagePrefix(crd),
    apiVersion: stored,
    unhashed: !compiled.isStorageServed,
    identity: false,
    servedSince: Number(crd.metadata.resourceVersion ?? 0),
    fromStored(object, pause = noPause) {
      const from = compiled.schema(parseGroupVersion(object.apiVersion ?? '').version);
      if (from === undefined) {
        throw conversionError(
          `request to convert CR from an invalid group/version: ${object.apiVersion ?? ''}`,
        );
      }
      return mapMaybePromise(readStored(from, asJson(object), pause), () =>
        convertTo(object, own, version, pause),
      );
    },
    schemaIn: (name) => compiled.schema(name),
    inVersion(object, apiVersion) {
      const { group, version: name } = parseGroupVersion(apiVersion);
      const schema = group === crd.spec.group ? compiled.schema(name) : undefined;
      if (schema === undefined) {
        throw conversionError(`request to convert CR to an invalid group/version: ${apiVersion}`);
      }
      const converted = converter.convert({ ...object, metadata: { ...object.metadata } }, apiVersion);
      const withSchema = (result: KubeObject) => ({ object: result, schema: schema.root });
      return mapMaybePromise(converted, withSchema);
    },
    toStored: (object, pause = noPause) => convertTo(object, stored, storageVersion, pause),
  };

  function convertTo(
    object: KubeObject,
    apiVersion: string,
    name: string,
    pause: Pause,
  ): KubeObject | Promise<KubeObject> {
    if (object.apiVersion === apiVersion) return object;
    const schema = compiled.schema(name);
    return mapMaybePromise(converter.convert(object, apiVersion), (result) =>
      schema === undefined ? result : finishSoon(pruned(schema, result), pause),
    );
  }
}

const noPause: Pause = () => undefined;

/** Prunes and defaults a stored object by the schema of its version. */
function readStored(schema: StructuralSchema, object: JsonObject, pause: Pause): void | Promise<void> {
  const pruning = schema.pruneStoredInPasses(object);
  if (pruning !== undefined) return finishSoon(readLarge(schema, object, pruning), pause);
  schema.pruneStored(object);
  const defaults = schema.defaultsInPasses(object);
  if (defaults !== undefined) return finishSoon(defaults, pause);
  schema.applyDefaults(object);
}

function* readLarge(schema: StructuralSchema, object: JsonObject, pruning: Passes<void>): Passes<void> {
  yield* pruning;
  yield;
  const defaults = schema.defaultsInPasses(object);
  if (defaults !== undefined) yield* defaults;
  else schema.applyDefaults(object);
}

/** Prunes a converted object. */
function* pruned(schema: StructuralSchema, result: KubeObject): Passes<KubeObject> {
  yield;
  const object = asJson(result);
  const typeInvalid = yield* decodeErrorOf(schema, object);
  if (typeInvalid !== undefined) throw conversionError(typeInvalid);
  yield* pruneFields(schema, object);
  return result;
}
