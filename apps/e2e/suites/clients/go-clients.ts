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
 * Builds the Go program of `apps/e2e/clients`, from Go's own cache where nothing changed, and resolves to its path; its
 * first argument says which client it is. Where there is no Go, or its modules cannot be had, resolves to `undefined` and says on standard error
 * which suite is skipped.
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
