import { mapMaybePromise } from '@annex/runtime';
import { type KubeObject, parseGroupVersion } from '@annex/machinery';
import { asJson, type StorageKind } from '@annex/kinds';
import { type Crd, versionsOf } from '../crd/crd.ts';
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
    unhashed: !versionsOf(crd).some(({ name, served }) => name === storageVersion && served),
    identity: false,
    servedSince: Number(crd.metadata.resourceVersion ?? 0),
    fromStored(object) {
      const from = compiled.schema(parseGroupVersion(object.apiVersion ?? '').version);
      if (from === undefined) {
        throw conversionError(
          `request to convert CR from an invalid group/version: ${object.apiVersion ?? ''}`,
        );
      }
      from.pruneStored(asJson(object));
      from.applyDefaults(asJson(object));
      return convertTo(object, own, version);
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
    toStored: (object) => convertTo(object, stored, storageVersion),
  };

  function convertTo(object: KubeObject, apiVersion: string, name: string): KubeObject | Promise<KubeObject> {
    if (object.apiVersion === apiVersion) return object;
    const converted = converter.convert(object, apiVersion);
    return mapMaybePromise(converted, pruned);
    function pruned(result: KubeObject): KubeObject {
      const schema = compiled.schema(name);
      const typeInvalid = schema?.decodeError(asJson(result));
      if (typeInvalid !== undefined) throw conversionError(typeInvalid);
      schema?.prune(asJson(result));
      return result;
    }
  }
}
