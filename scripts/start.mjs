// `npm start`: prepares and runs `annex up` from a fresh clone. Options are passed on.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ensureInstalled, isSupportedNode, nodeExecutable, root } from './install.mjs';

ensureInstalled({ dev: false });

const main = join(root, 'apps', 'cli', 'bin', 'annex.js');
const args = ['up', ...process.argv.slice(2)];

if (isSupportedNode(process.versions.node)) {
  // npm puts the pinned Node first in PATH, so from the second start on, no further process is needed.
  process.argv.splice(1, process.argv.length, main, ...args);
  await import(main);
} else {
  const child = spawn(nodeExecutable(), [main, ...args], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'])
    process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 1;
    if (signal === null) return;
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
