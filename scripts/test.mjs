// `npm test`: installs missing packages, and lets nx run every task with changed inputs. The last line counts all checks.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { ensureInstalled, nodeExecutable, root } from './install.mjs';

/**
 * The targets of each nx. One nx finishes the tasks that it runs as batches, one batch after the other, before it starts any other task, and
 * leaves a processor idle.
 */
const groups = [
  ['lint', 'typecheck', 'test'],
  ['build', 'e2e', 'conformance', 'format', 'unused', 'docs'],
];
const targets = groups.flat();

const selected = process.argv.slice(2);
const unknown = selected.filter((name) => !targets.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`no target ${unknown.join(', ')}; there are ${targets.join(', ')}\n`);
  process.exit(2);
}

ensureInstalled({ dev: true });

const total = { passed: 0, failed: 0 };
const wanted = selected.length > 0 ? selected : targets;
await Promise.all(groups.map((group) => runTargets(group.filter((name) => wanted.includes(name)))));
process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`);
process.exitCode = total.failed === 0 ? 0 : 1;

/** Runs targets of all packages with one nx, and counts their checks. */
async function runTargets(names) {
  if (names.length === 0) return;
  /** The task of the current lines of nx, and its output so far. */
  let task = { name: '', lines: [] };
  let allPassed = true;
  const code = await runNx(names, (line) => {
    const [, name] = /^> nx run (\S+)/.exec(line) ?? [];
    const [, passed, failed] = /^(\d+) passed, (\d+) failed$/.exec(line) ?? [];
    if (name !== undefined) task = { name, lines: [] };
    else if (passed === undefined) task.lines.push(line);
    else {
      finish(task, Number(passed), Number(failed));
      allPassed &&= failed === '0';
    }
  });
  if (code !== 0 && allPassed) {
    total.failed += 1;
    process.stdout.write(`${task.lines.join('\n')}\nnx ended with ${code}\n`);
  }
}

/** Counts the checks of a task. Prints its output if a check failed, or else the skipped checks. */
function finish(task, passed, failed) {
  total.passed += passed;
  total.failed += failed;
  const shown = failed > 0 ? task.lines : task.lines.filter((line) => /SKIPPED|^\d+ skipped$/.test(line));
  process.stdout.write(`${[`== ${task.name}: ${passed} passed, ${failed} failed`, ...shown].join('\n')}\n`);
  task.lines = [];
}

/** Runs targets of all packages, and calls back for each line. Resolves to the exit code. */
function runNx(names, onLine) {
  const bin = join(root, 'node_modules', '.bin');
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, NX_DAEMON: 'false', NX_TUI: 'false' };
  // A process for the plugins takes 1.5 seconds of processor time, and protects only what runs longer than one command.
  env.NX_ISOLATE_PLUGINS = 'false';
  const args = [join(bin, 'nx'), 'run-many', '--output-style=static', '--nx-bail=false', '-t', ...names];
  const child = spawn(nodeExecutable(), args, { cwd: root, env, stdio: ['ignore', 'pipe', 2] });
  const lines = createInterface({ input: child.stdout });
  // Where CI is set, nx prints colors, also into a pipe.
  lines.on('line', (line) => onLine(stripVTControlCharacters(line)));
  return new Promise((resolve) => {
    child.on('error', () => resolve(1));
    child.on('close', (code) => resolve(code ?? 1));
  });
}
