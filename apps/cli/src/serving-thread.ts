import { resolveOwnFilesFast } from './own-files.ts';

// A thread of `annex up` that serves requests.
resolveOwnFilesFast();
void serve();

async function serve(): Promise<void> {
  const [{ loadThreads }, { threadProgram }] = await Promise.all([
    import('@annex/process'),
    import('./annex.ts'),
  ]);
  const { serveInThread } = await loadThreads();
  serveInThread(threadProgram);
}
