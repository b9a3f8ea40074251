import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { Client, loadKubeconfig } from '@annex/client';
import { requireTools, startProcess, tempFolder } from '@annex/testkit';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeOf } from '../runners/node-of.ts';
import { startRegistry } from '../runners/registry.ts';
import { startVerdaccio } from '../runners/verdaccio.ts';
import { type Printed, runCommand } from './command.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const names = [
  'annex',
  ...['sdk', 'testing', 'scheduler', 'client', 'cel'].map((name) => `@annex/${name}`),
  'create-annex',
];
/** `npm run e2e:packages` also creates all templates, runs vitest and jest, and runs the guides on the pinned Node, too. */
const isComplete = process.env.ANNEX_PACKAGES === 'complete';

const oldNode = nodeOf('22.23.0');
const nodes = [
  { node: 'the pinned Node', executable: process.execPath },
  ...(oldNode === undefined ? [] : [{ node: 'Node 22.23.0', executable: oldNode }]),
];
const start = isComplete ? startVerdaccio : startRegistry;
const registry = requireTools('the packages for npm', 'npm', 'setsid') ? await start() : undefined;

describe.skipIf(registry === undefined)('the packages, from a registry', () => {
  const folder = tempFolder('annex-published-');
  const installed = join(folder.path, 'installed');
  afterAll(async () => {
    await registry?.[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  const run = (command: string, args: readonly string[], cwd: string, env = {}) =>
    runCommand(command, args, { cwd, env: { ...registry?.env, ...env }, timeout: 900_000 });
  const succeed = async (printed: Promise<Printed>) => {
    const { code, text } = await printed;
    expect(code, text).toBe(0);
    return text;
  };
  const npm = (cwd: string, ...args: string[]) => succeed(run('npm', args, cwd));
  const emptyFolder = (name: string) => {
    const path = join(folder.path, name);
    mkdirSync(path);
    return path;
  };
  /** Makes a project with these files, and installs packages. */
  const project = async (name: string, files: Record<string, string>, packages: string[]) => {
    const path = emptyFolder(name);
    for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text);
    await npm(path, 'install', '--no-audit', '--no-fund', ...packages);
    return path;
  };

  beforeAll(async () => {
    const built = emptyFolder('built');
    symlinkSync(join(root, 'dist', 'packages'), join(built, 'packages'));
    const workspaces = names.map((name) => `packages/${name}`);
    writeFileSync(join(built, 'package.json'), JSON.stringify({ private: true, workspaces }));
    // One npm for all packages.
    await npm(built, 'publish', '--workspaces');
    const files = { 'package.json': '{ "private": true }' };
    await project('installed', files, names.slice(0, -1));
  });

  it('npx annex up serves requests in an empty folder', async () => {
    const args = ['npx', '--yes', 'annex', 'up', '--data-dir=data', '--port=0', '--controllers='];
    const cwd = emptyFolder('npx');
    const annex = await startProcess('setsid', { args, cwd, env: registry?.env, until: /annex is ready/ });
    // As a terminal does for Ctrl+C: npx does not forward signals.
    process.kill(-annex.pid, 'SIGINT');
    await annex.exited;
    expect(annex.lines.filter((line) => /error/i.test(line))).toEqual([]);
  });

  it('the GitHub action starts Annex, exports KUBECONFIG, and stops it at the end of the job', async () => {
    const runner = emptyFolder('github-runner');
    const [variables = '', outputs = '', state = ''] = ['env', 'output', 'state'].map((name) =>
      join(runner, name),
    );
    const env = {
      RUNNER_TEMP: runner,
      GITHUB_ENV: variables,
      GITHUB_OUTPUT: outputs,
      GITHUB_STATE: state,
      INPUT_VERSION: 'latest',
      INPUT_OPTIONS: '--controllers=\n--log-level=info\n',
    };
    const runAction = (file: string, more = {}) =>
      succeed(run(process.execPath, [join(root, 'deploy', 'action', file)], runner, { ...env, ...more }));
    await runAction('start.mjs');
    const { KUBECONFIG = '' } = parseEnv(readFileSync(variables, 'utf8'));
    const { kubeconfig, log = '' } = parseEnv(readFileSync(outputs, 'utf8'));
    expect(kubeconfig).toBe(KUBECONFIG);
    const client = new Client(await loadKubeconfig(KUBECONFIG));
    expect(await client.json({ path: '/version' })).toMatchObject({ minor: '36' });
    client.close();
    const { pid = '', log: logOfState = '' } = parseEnv(readFileSync(state, 'utf8'));
    expect(await runAction('stop.mjs', { STATE_pid: pid, STATE_log: logOfState })).toContain(
      'annex is ready',
    );
    expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
    expect(log).toBe(logOfState);
  });

  it('the GitHub action prints the log of an Annex that does not start', async () => {
    const runner = emptyFolder('failing-runner');
    const env = { RUNNER_TEMP: runner, INPUT_VERSION: 'latest', INPUT_OPTIONS: '--no-such-option' };
    const { code, text } = await run(process.execPath, [join(root, 'deploy/action/start.mjs')], runner, env);
    expect([code, text]).toEqual([1, expect.stringMatching(/no-such-option[^]*::error::Annex is not ready/)]);
  });

  describe.each(nodes)('on $node', ({ executable }) => {
    it.each(Object.entries(programs))('%s', async (file, { text, output }) => {
      writeFileSync(join(installed, file), text);
      expect((await succeed(run(executable, [file], installed))).trim()).toBe(output);
    });
  });

  it('TypeScript accepts the declarations without skipLibCheck', async () => {
    const compilerOptions = {
      strict: true,
      skipLibCheck: false,
      noEmit: true,
      module: 'nodenext',
      target: 'es2022',
      // The check of the types of browsers takes most of the time.
      ...(isComplete ? {} : { lib: ['es2024'] }),
      types: ['node'],
      typeRoots: [join(root, 'node_modules', '@types')],
    };
    writeFileSync(
      join(installed, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['types.mts'] }),
    );
    writeFileSync(
      join(installed, 'types.mts'),
      `import { startAnnex, type TestAnnex } from '@annex/testing';
       import { defineResource } from '@annex/sdk';
       import { definePlugin, unresolvable } from '@annex/scheduler';
       import { Client } from '@annex/client';
       import * as cel from '@annex/cel';
       const annex: TestAnnex = await startAnnex();
       const odd = unresolvable('node(s) were odd');
       const args = { type: 'object', properties: { most: { type: 'integer', default: 9 } } } as const;
       const create = ({ most }: { most: number }) => ({ score: () => most });
       const scoring = definePlugin({ name: 'Most', args, create });
       const filtering = definePlugin({
         name: 'Even',
         create: () => ({ filter: (_cycle, _pod, node) => (node.name.endsWith('0') ? undefined : odd) }),
       });
       console.log(annex, defineResource, Client, cel, scoring, filtering);`,
    );
    // TypeScript 7 takes a quarter of the time of TypeScript 6.
    const compiler = join(root, 'node_modules', isComplete ? 'typescript' : 'typescript-7', 'bin', 'tsc');
    await succeed(run(process.execPath, [compiler, '-p', '.'], installed));
  });

  it('@annex/cel runs in browsers', async () => {
    const input = join(installed, 'browser.mjs');
    writeFileSync(input, browserProgram);
    const bundle = await rolldown({ input, platform: 'browser' });
    const { output } = await bundle.generate({ format: 'iife', name: 'result' });
    const [{ code }] = output;
    await bundle.close();
    expect(code).not.toMatch(/["']node:|\brequire\(|\bBuffer\b|\bprocess\./);
    // A realm with the globals of ECMAScript and of every browser, without those of Node.
    const context = createContext({ URL, TextEncoder, TextDecoder });
    expect(runInContext(`${code}; JSON.stringify(result)`, context)).toBe('{"value":true,"cost":4}');
  });

  const templates = isComplete ? ['crd-tests', 'extension-server', 'operator'] : ['crd-tests'];
  it.each(templates)('npm create annex makes a project with tests that pass: %s', async (template) => {
    await npm(folder.path, 'create', 'annex', '--yes', '--', template, '--template', template);
    const path = join(folder.path, template);
    await npm(path, 'install', '--no-audit', '--no-fund');
    await npm(path, 'run', 'typecheck');
    // Type stripping is on by default in all supported releases.
    for (const { executable } of isComplete ? nodes : nodes.slice(-1))
      await succeed(run(executable, ['--test'], path));
  });

  // With the packages instead of the checkout, and the examples and manifests of the repository.
  it.each(isComplete ? nodes : nodes.slice(-1))(
    'every guide works with the installed packages, on $node',
    async ({ executable }) => {
      for (const shown of ['examples', join('deploy', 'konnectivity')])
        cpSync(join(root, shown), join(installed, shown), {
          recursive: true,
          filter: (path) => !path.endsWith('node_modules'),
        });
      const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
      const args = [vitest, 'run', '--config', 'apps/e2e/vitest.config.ts', 'suites/guides'];
      const env = {
        ANNEX_RUNNER: 'single',
        ANNEX_BUILT: 'true',
        ANNEX_INSTALLED: installed,
        ANNEX_NODE: executable,
      };
      await succeed(run(process.execPath, args, root, env));
    },
    // All guides, one after the other, wait for the processors longer than one case does.
    900_000,
  );

  describe.runIf(isComplete).each(nodes)('test runners on $node', ({ node, executable }) => {
    it.each(testRunners)('$name', async ({ name, command, head, manifest, nodeOptions = '' }) => {
      const files = { 'package.json': JSON.stringify(manifest), 'annex.test.js': `${head}\n${testOfUser}` };
      const [runner = ''] = command.split('/');
      const path = await project(`${name} on ${node}`, files, [runner, '@annex/testing', '@annex/sdk']);
      const [bin = '', ...args] = command.split(' ');
      const env = { NODE_OPTIONS: nodeOptions };
      await succeed(run(executable, [join('node_modules', bin), ...args], path, env));
    });
  });
});

/** A test of a user, without its imports. */
const testOfUser = readFileSync(new URL('../registry/annex.test.js', import.meta.url), 'utf8');

const imports = "import { startAnnex } from '@annex/testing';\nimport { StatusError } from '@annex/sdk';";

/** Test runners, and how a test of theirs begins. */
const testRunners = [
  {
    name: 'vitest',
    command: 'vitest/vitest.mjs run',
    manifest: { private: true, type: 'module' },
    head: `${imports}\nimport { afterAll, beforeAll, expect, test } from 'vitest';`,
  },
  {
    name: 'jest',
    command: 'jest/bin/jest.js',
    manifest: { private: true, type: 'module', jest: { transform: {} } },
    head: `${imports}\nimport { afterAll, beforeAll, expect, test } from '@jest/globals';`,
    nodeOptions: '--experimental-vm-modules',
  },
  {
    name: 'jest, without an option of Node',
    command: 'jest/bin/jest.js',
    manifest: { private: true },
    head: "const { startAnnex } = require('@annex/testing');\nconst { StatusError } = require('@annex/sdk');",
  },
];

/** Programs of users, with what they print. */
const programs: Readonly<Record<string, { text: string; output: string }>> = {
  'test.mjs': {
    text: `import { definePlugin, startScheduler, unschedulable } from '@annex/scheduler';
      import { startAnnex } from '@annex/testing';
      const annex = await startAnnex({ fakeNodes: 2 });
      const odd = unschedulable('node(s) were odd');
      const filter = (cycle, pod, node) => (node.name.endsWith('1') ? odd : undefined);
      const even = definePlugin({ name: 'Even', create: () => ({ filter }) });
      const config = {
        apiVersion: 'kubescheduler.config.k8s.io/v1',
        kind: 'KubeSchedulerConfiguration',
        leaderElection: { leaderElect: false },
        profiles: [{ plugins: { filter: { enabled: [{ name: 'Even' }] } } }],
      };
      const scheduler = await startScheduler({ kubeconfig: annex.admin.kubeconfigFile, config, plugins: [even] });
      const pod = '{apiVersion: v1, kind: Pod, metadata: {name: made}, spec: {containers: [{name: c, image: i}]}}';
      await annex.admin.apply(pod);
      const pods = annex.admin.resource({ apiVersion: 'v1', resource: 'pods', namespace: 'default' });
      const { spec } = await pods.waitFor('made', (pod) => pod.spec.nodeName !== undefined);
      await scheduler.stop();
      await annex.stop();
      console.log(spec.nodeName);`,
    output: 'fake-node-0',
  },
  'test.cjs': {
    text: `const { startAnnex, StatusError } = require('@annex/testing');
      const { StatusError: ofSdk, defineResource } = require('@annex/sdk');
      (async () => {
        const annex = await startAnnex();
        const schema = { type: 'object', properties: { spec: { type: 'object' } } };
        const greetings = defineResource({ version: 'v1', kind: 'Greeting', schema });
        await annex.serve({ group: 'hello.example.com', resources: [greetings] });
        console.log((await annex.admin.resource('hello.example.com', greetings).list()).length);
        await annex.stop();
        console.log(StatusError === ofSdk);
      })();`,
    output: '0\ntrue',
  },
  'alone.mjs': {
    text: `import { Client } from '@annex/client';
      import * as cel from '@annex/cel';
      console.log(typeof Client, typeof cel.Environment);`,
    output: 'function function',
  },
  'alone.cjs': {
    text: `const { Client } = require('@annex/client');
      console.log(typeof Client, typeof require('@annex/cel').Environment);`,
    output: 'function function',
  },
};

const browserProgram = `
  import { Environment, Program, standardLibrary, types } from '@annex/cel';
  const environment = new Environment({ libraries: [standardLibrary], variables: [{ name: 'x', type: types.int }] });
  const checked = environment.compile('x > 1 && x < 10');
  export default new Program(checked, environment, { costLimit: 1000 }).evaluate({ x: 5 });
`;
