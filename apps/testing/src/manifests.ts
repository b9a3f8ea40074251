import { type Client, ResourceClient } from '@annex/client';
import { decodeYaml, type KubeObject } from '@annex/machinery';

const fieldManager = 'annex-testing';

/** Applies objects in their order. */
export async function applyManifests(
  client: Client,
  manifests: string | readonly KubeObject[],
): Promise<KubeObject[]> {
  const objects = typeof manifests === 'string' ? await readManifests(manifests) : manifests;
  const applied: KubeObject[] = [];
  for (const object of objects) applied.push(await applyOne(client, object));
  return applied;
}

/** Parses the objects of a YAML text; empty documents are skipped. */
async function readManifests(text: string): Promise<KubeObject[]> {
  const documents = withoutIndent(text).split(/^---(?:[ \t].*)?$/m);
  const objects: KubeObject[] = [];
  for (const document of documents) {
    const { value } = await decodeYaml(document);
    if (value !== null && value !== undefined) objects.push(value as unknown as KubeObject);
  }
  return objects;
}

/** Removes the indentation of a text in code. */
function withoutIndent(text: string): string {
  const indents = text.split('\n').flatMap((line) => /^( *)\S/.exec(line)?.[1]?.length ?? []);
  const indent = Math.min(...indents);
  if (indents.length === 0 || indent === 0) return text;
  const margin = ' '.repeat(indent);
  const lines = text.split('\n').map((line) => (line.startsWith(margin) ? line.slice(indent) : line));
  return lines.join('\n');
}

interface ResourceList {
  resources: { name: string; kind: string; namespaced: boolean }[];
}

async function applyOne(client: Client, object: KubeObject): Promise<KubeObject> {
  const { apiVersion = '', kind = '', metadata } = object;
  const root = apiVersion.includes('/') ? '/apis' : '/api';
  const { resources } = await client.json<ResourceList>({ path: `${root}/${apiVersion}` });
  const found = resources.find((resource) => resource.kind === kind && !resource.name.includes('/'));
  if (found === undefined) throw new Error(`no resource of ${apiVersion} has the kind ${kind}`);
  const namespace = found.namespaced ? (metadata.namespace ?? 'default') : undefined;
  const address = { apiVersion, resource: found.name, ...(namespace === undefined ? {} : { namespace }) };
  const resource = new ResourceClient(client, address);
  const applied = await resource.apply(object, { fieldManager, force: true });
  if (kind !== 'CustomResourceDefinition') return applied;
  return await resource.waitForCondition(metadata.name ?? '', 'Established');
}
