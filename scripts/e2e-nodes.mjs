// `npm run e2e:nodes [-- VERSION…]`: the suites whose result depends on Node, with the built command on other releases of Node.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { nodeOf, otherNodes } from '../apps/e2e/runners/node-of.ts';
import { root } from './install.mjs';

const suites = [
  'published-vulnerabilities',
  'attacks',
  'hostile-input',
  'aggregation',
  'controllers',
  'kubectl-basics',
  'trace',
];

const [, , ...chosen] = process.argv;
for (const version of chosen.length > 0 ? chosen : otherNodes) {
  const node = nodeOf(version);
  if (node === undefined) continue;
  process.stdout.write(`\nNode ${version}\n`);
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const args = [vitest, 'run', '--config', 'apps/e2e/vitest.config.ts', ...suites];
  const env = { ...process.env, ANNEX_NODE: node };
  if (spawnSync(process.execPath, args, { cwd: root, env, stdio: 'inherit' }).status !== 0)
    process.exitCode = 1;
}
