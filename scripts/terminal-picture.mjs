// Writes docs/terminal.svg, the picture of a terminal session in the README. The output is that of the commands, and of the built package: run
// npm run pack first.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from './install.mjs';

const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: bicycles.shop.example.com }
spec:
  group: shop.example.com
  scope: Namespaced
  names: { plural: bicycles, kind: Bicycle }
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties: { color: { type: string, enum: [red, green], default: red } }
      additionalPrinterColumns: [{ name: Color, type: string, jsonPath: .spec.color }]
`;
const bicycle = `apiVersion: shop.example.com/v1
kind: Bicycle
metadata: { name: mine }
spec: {}
`;

/** The commands of the picture; `…` in its output marks omitted lines. */
const commands = [
  { command: 'kubectl apply -f crd.yaml' },
  { command: 'kubectl wait --for=condition=Established crd --all', hidden: true },
  { command: 'kubectl create -f bicycle.yaml' },
  { command: 'kubectl get bicycles' },
  { command: `kubectl patch bicycle mine --type=merge -p '{"spec":{"color":"blue"}}'` },
  { command: 'kubectl get bicycles --as=jane' },
  { command: 'annex trace --refused --last', lines: /^GET|├─ authorization|RBAC|└─ responded/ },
];

const columns = 104;

async function session(folder, bin) {
  const env = { ...process.env, HOME: folder, NO_COLOR: '1', PATH: [bin, process.env.PATH].join(delimiter) };
  writeFileSync(join(folder, 'crd.yaml'), crd);
  writeFileSync(join(folder, 'bicycle.yaml'), bicycle);
  const annex = spawn('annex', ['up'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const shown = [{ prompt: 'annex up &' }];
    for await (const line of createInterface({ input: annex.stdout })) {
      shown.push({ text: line });
      if (line.includes('export KUBECONFIG=')) break;
    }
    shown.push({ prompt: `export KUBECONFIG=${join(folder, '.annex', 'admin.kubeconfig')}` });
    env.KUBECONFIG = join(folder, '.annex', 'admin.kubeconfig');
    for (const { command, hidden, lines } of commands) {
      const { stdout } = spawnSync('sh', ['-c', `${command} 2>&1`], { cwd: folder, env, encoding: 'utf8' });
      if (hidden) continue;
      shown.push({ prompt: command }, ...selected(stdout.trimEnd().split('\n'), lines));
    }
    return shown.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, text]) => [name, text.replaceAll(folder, '/home/jane/shop')]),
      ),
    );
  } finally {
    annex.kill('SIGTERM');
    await once(annex, 'exit');
  }
}

/** Returns the rows that match, with a mark where others are omitted. */
function selected(rows, lines = /^/) {
  const shown = [];
  for (const text of rows) {
    if (lines.test(text)) shown.push({ text });
    else if (shown.at(-1)?.text !== '│  …') shown.push({ text: '│  …' });
  }
  return shown;
}

const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Breaks long lines as a terminal does. */
const wrapped = (text) => text.match(new RegExp(`.{1,${columns}}`, 'g')) ?? [''];

function picture(rows) {
  const lines = rows.flatMap(({ prompt, text }) =>
    prompt === undefined
      ? wrapped(text).map(
          (line) =>
            `<tspan class="${/invalid|Forbidden|forbidden/.test(text) ? 'error' : 'output'}">${escape(line)}</tspan>`,
        )
      : wrapped(`$ ${prompt}`).map((line, i) =>
          i === 0
            ? `<tspan class="prompt">$</tspan><tspan class="command">${escape(line.slice(1))}</tspan>`
            : `<tspan class="command">${escape(line)}</tspan>`,
        ),
  );
  const width = columns * 7.8 + 40;
  const height = lines.length * 19 + 62;
  const texts = lines.map(
    (line, i) => `  <text x="20" y="${58 + i * 19}" xml:space="preserve">${line}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="A terminal session with Annex">
  <style>
    text { font: 13px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; }
    .prompt { fill: #7ee787; } .command { fill: #f0f6fc; font-weight: 600; } .output { fill: #9da7b3; } .error { fill: #ffa198; }
  </style>
  <rect width="${width}" height="${height}" rx="10" fill="#0d1117"/>
  <circle cx="22" cy="20" r="6" fill="#ff5f57"/><circle cx="42" cy="20" r="6" fill="#febc2e"/><circle cx="62" cy="20" r="6" fill="#28c840"/>
${texts.join('\n')}
</svg>
`;
}

const folder = mkdtempSync(join(tmpdir(), 'annex-picture-'));
try {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const command = join(root, 'dist', 'packages', 'annex', 'bin', 'annex.js');
  writeFileSync(join(bin, 'annex'), `#!/bin/sh\nexec '${process.execPath}' '${command}' "$@"\n`, {
    mode: 0o755,
  });
  writeFileSync(join(root, 'docs', 'terminal.svg'), picture(await session(folder, bin)));
} finally {
  rmSync(folder, { recursive: true });
}
