import type { serveInThread } from './serve-in-thread.ts';
import type { startInThreads } from './start-in-threads.ts';

/** Programs that serve with several threads. */
export interface ThreadsModule {
  serveInThread: typeof serveInThread;
  startInThreads: typeof startInThreads;
}

/** Loads the code of several threads, which a process with one thread does not need. */
export async function loadThreads(): Promise<ThreadsModule> {
  const [{ serveInThread }, { startInThreads }] = await Promise.all([
    import('./serve-in-thread.ts'),
    import('./start-in-threads.ts'),
  ]);
  return { serveInThread, startInThreads };
}
