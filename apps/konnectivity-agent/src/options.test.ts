import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseOptions } from '@annex/runtime';
import { createTestCA, tempFolder } from '@annex/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { konnectivityAgentConflicts, konnectivityAgentOptions, upstreamAgentFlags } from './options.ts';
import { checkFiles } from './servers/check-files.ts';

const problemsOf = (argv: string[]): string[] => {
  const parsed = parseOptions(
    konnectivityAgentOptions,
    argv,
    {},
    konnectivityAgentConflicts,
    upstreamAgentFlags,
  );
  return parsed.kind === 'errors' ? parsed.errors.map(({ message }) => message) : [];
};

test.each<[string, string[], string[]]>([
  ['the defaults', [], []],
  ['flags without effect', ['--enable-profiling=false', '--probe-interval=1s', '--log-dir=/tmp'], []],
  ['no port of servers', ['--proxy-server-port=0'], ['proxy server port 0 must be greater than 0']],
  ['no server', ['--proxy-server-host='], ['--proxy-server-host names no server']],
  [
    'a key without a certificate',
    ['--agent-key=k'],
    ['cannot have agent cert empty when agent key is set to "k"'],
  ],
  [
    'intervals in the wrong order',
    ['--sync-interval=20s'],
    ['--sync-interval must not be more than --sync-interval-cap'],
  ],
  [
    'an unknown identifier',
    ['--agent-identifiers=host=a&foo=bar'],
    ['agent address is invalid: unknown address type: foo'],
  ],
  [
    'identifiers with a semicolon between them',
    ['--agent-identifiers=host=a;host=b'],
    ['agent address is invalid: invalid semicolon separator in query'],
  ],
  [
    'an invalid escape in identifiers',
    ['--agent-identifiers=%zz'],
    ['agent address is invalid: invalid URL escape "%zz"'],
  ],
  ['a label without a value', ['--lease-label=a'], ['--lease-label: invalid label format: a']],
])('%s', (_, argv, problems) => {
  expect(problemsOf(argv)).toEqual(problems);
});

/** A folder with a CA, an agent's certificate and key, and a file without a certificate. */
function identityFiles() {
  const folder = tempFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const ca = createTestCA('ca');
  const { certificate, key } = ca.issue({ commonName: 'agent' });
  const write = (name: string, text: string): string => {
    const path = join(folder.path, name);
    writeFileSync(path, text);
    return path;
  };
  return {
    valid: {
      id: 'a',
      identifiers: '',
      alpnProtocols: [],
      caFile: write('ca.crt', ca.certificate),
      certFile: write('tls.crt', certificate),
      keyFile: write('tls.key', key),
      tokenFile: write('token', 't'),
    },
    invalid: write('invalid', 'no certificate'),
    missing: join(folder.path, 'missing'),
  };
}

test.each(['caFile', 'certFile', 'keyFile', 'tokenFile'] as const)(
  'an agent does not start without its %s',
  async (name) => {
    const { valid, missing } = identityFiles();
    await expect(checkFiles(valid)).resolves.toBeUndefined();
    await expect(checkFiles({ ...valid, [name]: missing })).rejects.toMatchObject({
      code: 'FILE_UNREADABLE',
      message: expect.stringContaining(missing) as string,
    });
  },
);

test.each(['caFile', 'certFile', 'keyFile'] as const)(
  'an agent does not start with an invalid %s',
  async (name) => {
    const { valid, invalid } = identityFiles();
    await expect(checkFiles({ ...valid, [name]: invalid })).rejects.toMatchObject({
      code: 'FILE_UNREADABLE',
    });
  },
);
