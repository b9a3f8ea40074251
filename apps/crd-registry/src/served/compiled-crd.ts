import { compileStructural, type StructuralSchema } from '@annex/schema';
import type { JsonObject } from '@annex/machinery';
import { type Crd, type CrdVersion, versionsOf } from '../crd/crd.ts';
import { checkedConverter, type Converter, renamingConverter } from './converter.ts';

/** The compiled schemas of one generation of a CRD; each is compiled on first use. */
export interface CompiledCrd {
  readonly crd: Crd;
  readonly storageVersion: string;
  /** Returns the schema of a version; `undefined` if the CRD does not have the version. */
  schema(version: string): StructuralSchema | undefined;
  readonly converter: Converter;
}

const anything: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

export function compileCrd(crd: Crd, converter: Converter = renamingConverter): CompiledCrd {
  const versions = new Map(versionsOf(crd).map((version) => [version.name, version]));
  const schemas = new Map<string, StructuralSchema>();
  return {
    crd,
    storageVersion: versionsOf(crd).find((version) => version.storage)?.name ?? '',
    converter: checkedConverter(crd, converter),
    schema(name) {
      const version = versions.get(name);
      if (version === undefined) return undefined;
      let schema = schemas.get(name);
      if (schema === undefined) schemas.set(name, (schema = compileVersion(crd, version)));
      return schema;
    },
  };
}

function compileVersion(crd: Crd, version: CrdVersion): StructuralSchema {
  const schema = version.schema?.openAPIV3Schema ?? anything;
  // Before structural schemas existed, CRDs were not pruned.
  if (!crd.spec.preserveUnknownFields) return compileStructural(schema);
  return compileStructural({ ...schema, 'x-kubernetes-preserve-unknown-fields': true }, { pruning: false });
}
