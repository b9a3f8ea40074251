import { finish, finishInSlices, groupVersion, type JsonObject, type Passes } from '@annex/machinery';
import { ownTurn } from '@annex/runtime';
import { pause } from '@annex/server';
import { compileStructuralInPasses, isLargeSchema, type StructuralSchema } from '@annex/schema';
import { type Crd, type CrdVersion, versionsOf } from '../crd/crd.ts';
import { preferredVersion } from '../crd/deprecation.ts';
import { scaleChecks } from './scale-checks.ts';
import { checkedConverter, type Converter, renamingConverter } from './converter.ts';

/** The compiled schemas of one generation of a CRD; each is compiled on first use. */
export interface CompiledCrd {
  readonly crd: Crd;
  readonly storageVersion: string;
  readonly isStorageServed: boolean;
  /** The versions (`group/version`) with a status subresource. */
  readonly statusVersions: ReadonlySet<string>;
  /** See {@link preferredVersion}. */
  readonly preferredVersion: string | undefined;
  /** Returns the schema of a version; `undefined` if the CRD does not have the version. */
  schema(version: string): StructuralSchema | undefined;
  readonly converter: Converter;
  /** Compiles large schemas in slices, so that their first use does not hold the event loop. */
  prepare(): void;
  /** Resolves when large schemas are compiled; `undefined` if they are, or if there are none. */
  preparing(): Promise<void> | undefined;
}

const anything: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

export function compileCrd(crd: Crd, converter: Converter = renamingConverter): CompiledCrd {
  const versions = new Map(versionsOf(crd).map((version) => [version.name, version]));
  const schemas = new Map<string, StructuralSchema>();
  const storage = versionsOf(crd).find((version) => version.storage);
  let preparing: Promise<void> | undefined;
  return {
    prepare() {
      const large = [...versions.values()].filter(isLargeVersion);
      if (large.length === 0) return;
      preparing = prepareVersions(crd, large, schemas).finally(() => (preparing = undefined));
    },
    preparing: () => preparing,
    crd,
    storageVersion: storage?.name ?? '',
    isStorageServed: storage?.served ?? false,
    statusVersions: versionsWithStatus(crd),
    preferredVersion: preferredVersion(crd),
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

const versionsWithStatus = ({ spec: { group, versions } }: Crd): Set<string> =>
  new Set(
    (versions ?? [])
      .filter(({ subresources }) => subresources?.status !== undefined)
      .map(({ name: version }) => groupVersion({ group, version })),
  );

const isLargeVersion = ({ schema }: CrdVersion): boolean =>
  schema?.openAPIV3Schema !== undefined && isLargeSchema(schema.openAPIV3Schema);

async function prepareVersions(
  crd: Crd,
  versions: readonly CrdVersion[],
  schemas: Map<string, StructuralSchema>,
): Promise<void> {
  // The event of the CRD has used its turn.
  await ownTurn();
  for (const version of versions) {
    try {
      const schema = await finishInSlices(compileVersionInPasses(crd, version), pause);
      if (!schemas.has(version.name)) schemas.set(version.name, schema);
    } catch {
      // The requests that need the schema get the error.
    }
  }
}

const compileVersion = (crd: Crd, version: CrdVersion): StructuralSchema =>
  finish(compileVersionInPasses(crd, version));

function compileVersionInPasses(crd: Crd, version: CrdVersion): Passes<StructuralSchema> {
  const schema = version.schema?.openAPIV3Schema ?? anything;
  const scale = version.subresources?.scale;
  const checks = scale && scaleChecks(scale);
  // Before structural schemas existed, CRDs were not pruned.
  if (!crd.spec.preserveUnknownFields) return compileStructuralInPasses(schema, { checks });
  const preserving = { ...schema, 'x-kubernetes-preserve-unknown-fields': true };
  return compileStructuralInPasses(preserving, { pruning: false, checks });
}
