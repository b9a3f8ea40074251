import { OperatorError, type Validated } from '@annex/runtime';
import { loadThreadStores } from '@annex/storage';
import type { EtcdConfig } from '../etcd-options.ts';
import type { Identities } from '../identities.ts';
import type { ServerConfig } from '../options.ts';
import type { Program } from '../program.ts';
import { type RunningProgram, startProgram } from '../start-program.ts';
import { ServingThreads } from './serving-threads.ts';
import type { ThreadGroup } from './thread-group.ts';
import { threadMember } from './thread-member.ts';
import type { ThreadsConfig } from './threads-options.ts';

/** Starts a program in several threads on one port. `programOf` creates that of this thread, `entry` is the file of the others. */
export async function startInThreads<C extends ServerConfig & ThreadsConfig, I extends Identities>(
  programOf: (group: ThreadGroup) => Program<C, I>,
  config: Validated<C> & Partial<EtcdConfig>,
  entry: URL,
): Promise<RunningProgram<I>> {
  requireSharedPorts();
  const threads = new ServingThreads({ entry, size: config.servingThreads, config });
  const program = programOf(threads);
  const openStore: Program<C, I>['openStore'] = async (...args) => {
    const opened = await program.openStore(...args);
    // Threads are replicas: on etcd, each of them connects with it.
    if ((config.etcdServers ?? []).length > 0) return opened;
    const { shareStore } = await loadThreadStores();
    const { connect, store } = shareStore(opened);
    threads.connectStore = connect;
    return store;
  };
  try {
    return await startProgram({ ...program, openStore }, config, threadMember(threads));
  } catch (error) {
    await threads.stop();
    throw error;
  }
}

/** Throws OperatorError where the system does not distribute the connections of a port to several sockets. */
function requireSharedPorts(): void {
  if (process.platform === 'linux') return;
  const why = `--serving-threads: several threads cannot listen on one port on ${process.platform}`;
  throw new OperatorError('SERVING_THREADS_UNSUPPORTED', why);
}
