import { workerData } from 'node:worker_threads';
import { type Validated, watchEventLoop } from '@annex/runtime';
import { loadThreadStores, type Store } from '@annex/storage';
import type { Identities } from '../identities.ts';
import type { ServerConfig } from '../options.ts';
import type { Program } from '../program.ts';
import { type RunningProgram, startProgram } from '../start-program.ts';
import type { ThreadData, ThreadStart } from './serving-threads.ts';
import { MemberThreadGroup, type ThreadGroup } from './thread-group.ts';
import { threadMember } from './thread-member.ts';

/** Serves in this thread, which `ServingThreads` started. `programOf` gets the store of the main thread, if that shares it. */
export function serveInThread<C extends ServerConfig, I extends Identities>(
  programOf: (group: ThreadGroup, store: Store | undefined) => Program<C, I>,
): void {
  const { config, ...member } = workerData as ThreadData & { config: Validated<C> };
  const group = new MemberThreadGroup(member);
  let running: Promise<RunningProgram<I>> | undefined;
  const [prepared, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  opened.promise.catch(() => undefined);
  const mayListen = (): Promise<void> => {
    prepared.resolve();
    return opened.promise;
  };
  group.handle('start', async ({ port, store }: ThreadStart) => {
    const { openThreadStore } = await loadThreadStores();
    const program = programOf(group, store && openThreadStore(store));
    running = startProgram(program, { ...config, port }, { ...threadMember(group), mayListen });
    await Promise.race([prepared.promise, running]);
  });
  group.handle('open', async () => {
    opened.resolve();
    await running;
    watchEventLoop(config);
  });
  group.handle('stop', async () => {
    opened.reject(new Error('the process stops while it starts'));
    const program = await running?.catch(() => undefined);
    const errors = (await program?.stop()) ?? [];
    return errors.map(({ message }) => message);
  });
}
