import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { requireTools } from '@annex/testkit';

const sources = new URL('../../clients/', import.meta.url).pathname;
const folder = new URL('../../../../node_modules/.cache/go/clients/', import.meta.url).pathname;

const go = (args: readonly string[]) =>
  promisify(execFile)('go', args, {
    cwd: sources,
    env: { ...process.env, GOBIN: folder, GOFLAGS: '-buildvcs=false -ldflags=-w' },
    maxBuffer: 2 ** 26,
  });

/**
 * Builds the Go program of `apps/e2e/clients`, with Go's build cache, and resolves to its path. Its first argument selects the client.
 * Without Go or its modules, resolves to `undefined` and prints the name of the skipped suite on standard error.
 */
export async function buildGoClients(suite: string): Promise<string | undefined> {
  if (!requireTools(suite, 'go')) return undefined;
  try {
    await go(['list', '-deps', '-f', '{{.Name}}', '.']);
  } catch (error) {
    const why = String((error as { stderr?: string }).stderr ?? error).trim();
    process.stderr.write(`SKIPPED ${suite}: the Go modules cannot be had: ${why.split('\n').at(-1)}\n`);
    return undefined;
  }
  await go(['install', '.']);
  return join(folder, 'clients');
}
