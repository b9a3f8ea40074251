// Writes docs/reference/coverage.md: the rows of the acceptance checklist that are covered, and the tests or recordings that cover them.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { formatMarkdown } from './format-markdown.mjs';
import { root } from './install.mjs';

export const coveragePath = 'docs/reference/coverage.md';
const dataPath = 'docs/reference/coverage-recordings.json';
const testFile = /\.(test|contract|e2e)\.ts$/;
const quoted = /(['"`])((?:\\.|(?!\1)[^\\\n])*)\1/g;
const idPattern = /\b[A-Z][A-Z0-9]{2,3}-\d{3}\b/g;

/** Returns the page in its current state. */
export async function coveragePage() {
  const { groups, recordings, otherwise } = JSON.parse(readFileSync(join(root, dataPath), 'utf8'));
  const rows = new Set(groups.flatMap(rowsOf));
  const proofs = new Map();
  const prove = (id, proof) => proofs.set(id, [...(proofs.get(id) ?? []), proof]);
  for (const proof of [...fromRecordings(recordings), ...fromScenarios(), ...fromTests()]) {
    // Annex follows kube-apiserver instead: such a row can be tested, but not covered.
    if (Object.hasOwn(otherwise, proof.id)) continue;
    if (rows.has(proof.id)) prove(proof.id, proof);
    else if (proof.recorded) throw new Error(`${dataPath}: there is no row ${proof.id}`);
  }
  return formatMarkdown(page(groups, proofs, otherwise));
}

const rowsOf = ({ id, rows }) =>
  Array.from({ length: rows }, (_, index) => `${id}-${String(index + 1).padStart(3, '0')}`);

function fromRecordings(recordings) {
  const failing = new Set(readFileSync(join(root, 'conformance/not-passing.txt'), 'utf8').split('\n'));
  return Object.entries(recordings).flatMap(([name, ids]) => {
    const path = name.startsWith('kubectl/')
      ? `conformance/${name}.txt`
      : `conformance/recordings/${name}.yaml`;
    if (!existsSync(join(root, path))) throw new Error(`${dataPath}: nothing is recorded as ${name}`);
    if (failing.has(name)) return [];
    return Object.entries(ids).map(([id, says]) => ({ id, says, name, path, recorded: true }));
  });
}

/** Scenarios of the scheduler name their rows. */
function fromScenarios() {
  return filesBelow('conformance/scheduler', /\.yaml$/)
    .sort()
    .flatMap((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      const ids = /^rows: \[([^\]]*)\]$/m.exec(text)?.[1]?.match(idPattern) ?? [];
      const about = /^about: (.*)$/m.exec(text)?.[1] ?? '';
      const says = about.replaceAll(/^'|'$/g, '').replaceAll("''", "'").replace(/\.$/, '');
      const name = path.replace(/^conformance\/|\.yaml$/g, '');
      return ids.map((id) => ({ id, says: sentence(says), name, path }));
    });
}

function fromTests() {
  const files = ['apps', 'libs', 'examples', 'conformance/src', 'bench']
    .flatMap((folder) => filesBelow(folder))
    .sort();
  return files.flatMap((path) => {
    const found = new Map();
    for (const [, , title] of readFileSync(join(root, path), 'utf8').matchAll(quoted)) {
      for (const [id] of title.matchAll(idPattern)) {
        if (!found.has(id)) found.set(id, { id, says: sentence(title), name: path, path });
      }
    }
    return [...found.values()];
  });
}

function filesBelow(folder, wanted = testFile) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesBelow(path, wanted);
    return wanted.test(entry.name) ? [path] : [];
  });
}

/** Returns the name of a test without ids. */
const sentence = (title) =>
  title
    .replaceAll(idPattern, '')
    .replaceAll(/\([\s,;]*\)/g, '')
    .replaceAll(/\s+/g, ' ')
    .replace(/^[\s,:;]+|[\s,:;]+$/g, '')
    .replaceAll(/[<>*_]/g, '\\$&');

function page(groups, proofs, otherwise) {
  const covered = (group) => rowsOf(group).filter((id) => proofs.has(id));
  const count = groups.reduce((sum, group) => sum + covered(group).length, 0);
  const total = groups.reduce((sum, group) => sum + group.rows, 0);
  return [
    '# Coverage of the acceptance checklist',
    '',
    'The checklist contains statements of the Kubernetes documentation on API extension, each with an ID. A row is covered',
    'when a test that names its ID passes, or when a recorded conversation or kubectl session shows the statement and replays',
    'without a difference. Sessions rename the API groups of the documented manifests, and run where kubectl is installed.',
    '`node scripts/coverage.mjs` writes this page',
    'from the tests and from [coverage-recordings.json](coverage-recordings.json).',
    '',
    `**${count} of ${total} rows are covered.**`,
    '',
    '| group | about | covered |',
    '| --- | --- | --- |',
    ...groups.map((group) => `| ${group.id} | ${group.title} | ${covered(group).length} of ${group.rows} |`),
    ...groups.flatMap((group) => section(group, proofs, otherwise)),
    '',
  ].join('\n');
}

function section(group, proofs, otherwise) {
  const ids = rowsOf(group);
  const open = ids.filter((id) => !proofs.has(id) && !Object.hasOwn(otherwise, id));
  const differing = ids.filter((id) => Object.hasOwn(otherwise, id)).map((id) => `- ${id}: ${otherwise[id]}`);
  return [
    '',
    `## ${group.id}: ${group.title}`,
    '',
    ...ids.filter((id) => proofs.has(id)).map((id) => line(id, proofs.get(id))),
    ...(open.length === 0 ? [] : ['', `Not yet: ${open.join(', ')}.`]),
    ...(differing.length === 0
      ? []
      : ['', 'Otherwise in kube-apiserver 1.36, which Annex follows:', '', ...differing]),
  ];
}

function line(id, proofs) {
  const says = proofs.find((proof) => proof.says !== '')?.says ?? '';
  const links = proofs.map(({ name, path }) => `[${name}](${relative('docs/reference', path)})`);
  return `- **${id}** ${says}: ${links.join(', ')}`;
}

if (import.meta.filename === process.argv[1]) writeFileSync(join(root, coveragePath), await coveragePage());
