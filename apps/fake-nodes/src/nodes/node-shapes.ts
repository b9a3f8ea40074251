import type { JsonObject, KubeObject } from '@annex/machinery';
import { FieldReader } from '../field-reader.ts';
import { fileVersion } from '../stages/stage-file.ts';
import { fakeAnnotation, type Node } from './node.ts';

/** Fake nodes of one process. */
export const maxFakeNodes = 20_000;

/** Returns this many nodes of the default shape. */
export const defaultNodes = (count: number): Node[] =>
  Array.from({ length: count }, (_, index) => nodeOf(`fake-node-${index}`, {}));

/**
 * Reads the nodes of a file: NodeShapes, each with a count and a template, and manifests of Nodes. Appends errors with the path of each field.
 */
export function readNodes(documents: readonly JsonObject[], errors: string[]): Node[] {
  const nodes: Node[] = [];
  for (const [index, document] of documents.entries()) {
    const found: string[] = [];
    const read = document.kind === 'Node' ? [readNode(document, found)] : readShape(document, found);
    const taken = nodes.length + read.length;
    if (taken > maxFakeNodes) found.push(`there are more than ${maxFakeNodes} nodes`);
    else nodes.push(...read);
    errors.push(...found.map((problem) => `document ${index + 1}: ${problem}`));
  }
  const names = new Set<string>();
  for (const { metadata } of nodes) {
    if (names.has(metadata.name ?? '')) errors.push(`there are two nodes with the name ${metadata.name}`);
    names.add(metadata.name ?? '');
  }
  return nodes;
}

function readShape(document: JsonObject, errors: string[]): Node[] {
  const fields = new FieldReader(document, '', errors);
  if (fields.text('apiVersion') !== fileVersion || fields.text('kind') !== 'NodeShape')
    fields.report('kind', `must be a NodeShape of ${fileVersion}, or a Node of v1`);
  const name = readName(fields.object('metadata'), errors);
  const count = fields.integer('count') ?? 1;
  if (count > maxFakeNodes) fields.report('count', `must be at most ${maxFakeNodes}`);
  const template = readTemplate(fields.object('template') ?? new FieldReader({}, 'template', errors));
  fields.end();
  return Array.from({ length: Math.min(count, maxFakeNodes) }, (_, index) =>
    nodeOf(`${name}-${index}`, template),
  );
}

function readNode(document: JsonObject, errors: string[]): Node {
  const fields = new FieldReader(document, '', errors);
  if (fields.text('apiVersion') !== 'v1') fields.report('apiVersion', 'must be v1');
  fields.text('kind');
  const metadata = fields.object('metadata');
  const name = metadata?.text('name') ?? '';
  if (name === '') fields.report('metadata.name', 'is required');
  const template = readTemplate(fields);
  return nodeOf(name, template);
}

function readName(metadata: FieldReader | undefined, errors: string[]): string {
  const name = metadata?.text('name') ?? '';
  if (name === '') errors.push('metadata.name: is required');
  metadata?.end();
  return name;
}

interface Template {
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  spec?: JsonObject;
  status?: JsonObject;
}

/** The API server validates the fields of a Node. */
function readTemplate(fields: FieldReader): Template {
  const metadata = fields.object('metadata');
  const [labels, annotations] = ['labels', 'annotations'].map((name) =>
    Object.fromEntries(metadata?.textMap(name) ?? []),
  );
  const [spec, status] = [fields.plain('spec'), fields.plain('status')];
  return {
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(spec === undefined ? {} : { spec }),
    ...(status === undefined ? {} : { status }),
  };
}

function nodeOf(name: string, { labels, annotations, spec = {}, status = {} }: Template): Node {
  const node: KubeObject = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        ...labels,
      },
      annotations: { ...annotations, [fakeAnnotation]: 'fake' },
    },
    spec,
    status,
  };
  return node as Node;
}
