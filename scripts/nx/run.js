import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** Runs a command with the tools of the workspace. Resolves to its exit code and its output. */
export function run(root, command, args = [], { print = false, shell = false } = {}) {
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' };
  env.PATH = `${join(root, 'node_modules', '.bin')}:${env.PATH}`;
  const child = spawn(command, args, { cwd: root, env, shell, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const [stream, target] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
      if (print) target.write(text);
    });
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ code: 1, output: `${output}${error.message}\n` }));
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

/** The line that ends the output of each task. `npm test` adds these lines up. */
export const counts = (passed, failed) => `${passed} passed, ${failed} failed`;

/** The result of one task of a batch. */
export const outcome = (task, { passed, failed, output }) => ({
  task,
  result: {
    success: failed === 0,
    terminalOutput: `${[output, counts(passed, failed)].filter(Boolean).join('\n')}\n`,
  },
});

/** The tasks of a batch, each with the folder of its package. */
export const packagesOf = ({ tasks }, { projectsConfigurations }) =>
  Object.values(tasks).map(({ id, target }) => ({
    id,
    name: target.project,
    folder: projectsConfigurations.projects[target.project].root,
  }));

/** The implementation that runs a single task as a batch of one. */
export const single = (many) => async (_options, context) => {
  const task = { id: '', target: { project: context.projectName, target: context.targetName } };
  let success = false;
  for await (const { result } of many({ tasks: { '': task } }, {}, {}, context)) {
    process.stdout.write(result.terminalOutput);
    ({ success } = result);
  }
  return { success };
};
