/**
 * Writes libs/kinds/data/protobuf.json: the fields of each protobuf message of the Kubernetes API, with number and type in protobuf, and
 * name and optionality in JSON. Field numbers and names are facts of the wire format.
 *
 * Requires Go: `node scripts/extract-protobuf.ts`.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const version = 'v0.36.3';
const meta = 'pkg/apis/meta/v1';

/** Modules with the folders that contain a generated.proto, and the API group of each folder. */
const sources: Record<string, Record<string, string>> = {
  'k8s.io/api': {
    'admissionregistration/v1': 'admissionregistration.k8s.io',
    'apps/v1': 'apps',
    'authentication/v1': 'authentication.k8s.io',
    'authorization/v1': 'authorization.k8s.io',
    'autoscaling/v1': 'autoscaling',
    'autoscaling/v2': 'autoscaling',
    'batch/v1': 'batch',
    'certificates/v1': 'certificates.k8s.io',
    'coordination/v1': 'coordination.k8s.io',
    'core/v1': '',
    'discovery/v1': 'discovery.k8s.io',
    'events/v1': 'events.k8s.io',
    'flowcontrol/v1': 'flowcontrol.apiserver.k8s.io',
    'networking/v1': 'networking.k8s.io',
    'node/v1': 'node.k8s.io',
    'policy/v1': 'policy',
    'rbac/v1': 'rbac.authorization.k8s.io',
    'resource/v1': 'resource.k8s.io',
    'scheduling/v1': 'scheduling.k8s.io',
    'storage/v1': 'storage.k8s.io',
  },
  'k8s.io/apimachinery': {
    [meta]: 'meta.k8s.io',
    'pkg/apis/meta/v1beta1': 'meta.k8s.io',
    'pkg/runtime': '-',
    'pkg/api/resource': '-',
    'pkg/util/intstr': '-',
  },
  'k8s.io/apiextensions-apiserver': {
    'pkg/apis/apiextensions/v1': 'apiextensions.k8s.io',
    'pkg/apis/apiextensions/v1beta1': 'apiextensions.k8s.io',
  },
  'k8s.io/kube-aggregator': { 'pkg/apis/apiregistration/v1': 'apiregistration.k8s.io' },
};

/** The struct tag of a field: the JSON name, and whether zero values are left out of JSON. */
interface GoField {
  /** Empty if the fields of the inner struct are inlined; `undefined` if JSON does not contain the field. */
  json: string | undefined;
  omitEmpty: boolean;
  pointer: boolean;
}

/** Returns the fields of the Go structs of a folder: struct → protobuf number → field. */
function goStructs(folder: string): Map<string, Map<number, GoField>> {
  const structs = new Map<string, Map<number, GoField>>();
  const files = readdirSync(folder).filter((file) => /^(?!zz_|generated|.*_test).*\.go$/.test(file));
  for (const file of files) {
    const text = readFileSync(join(folder, file), 'utf8');
    for (const [, name = '', body = ''] of text.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)) {
      const fields = new Map<number, GoField>();
      for (const line of body.split('\n')) {
        const found = /^\s*(?:\w+\s+)?(\S.*?)\s+`(?:json:"([^"]*)"[^`]*? )?protobuf:"\w+,(\d+)/.exec(line);
        if (found === null) continue;
        const [, type = '', tag, number = ''] = found;
        const [json, ...options] = tag?.split(',') ?? [];
        fields.set(Number(number), {
          json,
          omitEmpty: options.includes('omitempty'),
          pointer: type.startsWith('*'),
        });
      }
      structs.set(name, fields);
    }
  }
  return structs;
}

/** `[JSON name, number, type, flags]`; see PROVENANCE.md. */
type Field = [string, number, string, string];

const scalars = new Set(['string', 'bytes', 'bool', 'int32', 'int64', 'uint32', 'uint64', 'double', 'float']);

function readMessages(folder: string, into: Record<string, Field[] | string>): string {
  const text = readFileSync(join(folder, 'generated.proto'), 'utf8');
  const packageName = /^package ([\w.]+);/m.exec(text)?.[1] ?? '';
  const structs = goStructs(folder);
  const qualify = (type: string) =>
    scalars.has(type) ? type : type.startsWith('.') ? type.slice(1) : `${packageName}.${type}`;
  for (const [, name = '', body = ''] of text.matchAll(/^message (\w+) \{\n([\s\S]*?)^\}/gm)) {
    const struct = structs.get(name);
    const fields: Field[] = [];
    const pattern = /^ {2}(optional|repeated|map<string, ([\w.]+)>) ?([\w.]*) (\w+) = (\d+);/gm;
    for (const [, rule = '', value, type = '', protoName = '', digits = ''] of body.matchAll(pattern)) {
      const number = Number(digits);
      const go = struct?.get(number);
      const flags = [
        rule === 'repeated' ? 'r' : rule === 'optional' ? '' : 'm',
        go?.pointer ? 'p' : '',
        go?.omitEmpty ? 'o' : '',
        go?.json === '' ? 'i' : '',
      ].join('');
      // `map<string, T> name`: the pattern sees the name as the type's neighbour.
      fields.push([go?.json || protoName, number, qualify(value ?? type), flags]);
    }
    // Go declares some fields in another order than their numbers, and prints them in that order.
    const declared = [...(struct?.keys() ?? [])];
    fields.sort((a, b) => declared.indexOf(a[1]) - declared.indexOf(b[1]));
    into[`${packageName}.${name}`] =
      struct === undefined && fields[0]?.[0] === 'items' ? `${fields[0][2]}[]` : fields;
  }
  return packageName;
}

const messages: Record<string, Field[] | string> = {};
const packages: Record<string, string> = {};
const modules = Object.keys(sources).map((module) => `${module}@${version}`);
const downloads = execFileSync('go', ['mod', 'download', '-json', ...modules], { encoding: 'utf8' });
for (const block of downloads.split(/^(?=\{)/m).filter((text) => text.trim() !== '')) {
  const { Path, Dir } = JSON.parse(block) as { Path: string; Dir: string };
  for (const [folder, group] of Object.entries(sources[Path] ?? {})) {
    if (!existsSync(join(Dir, folder))) throw new Error(`${Path}/${folder} is missing`);
    const name = readMessages(join(Dir, folder), messages);
    if (group !== '-') packages[`${group}/${folder.split('/').at(-1)}`] = name;
  }
}
const source = `k8s.io/{api,apimachinery,apiextensions-apiserver,kube-aggregator}@${version}, generated.proto and struct tags`;
const lines = Object.entries(messages).map(
  ([name, fields]) => `${JSON.stringify(name)}:${JSON.stringify(fields)}`,
);
writeFileSync(
  new URL('../libs/kinds/data/protobuf.json', import.meta.url),
  `{"source":${JSON.stringify(source)},\n"packages":${JSON.stringify(packages)},\n"messages":{\n${lines.join(',\n')}\n}}\n`,
);
console.log(`${lines.length} messages of ${Object.keys(packages).length} group versions`);
