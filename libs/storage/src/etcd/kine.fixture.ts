import { chownSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { freePorts, startProcess, type TempFolder, tempFolder } from '@annex/testkit';

/** A running kine: the API of etcd on another database. */
export interface Kine extends AsyncDisposable {
  readonly url: string;
}

/** Starts kine on a database, as the endpoint of its option names it. */
async function startKine(endpoint: string, opened: AsyncDisposableStack): Promise<Kine> {
  const [port] = await freePorts(1);
  const args = [
    `--listen-address=127.0.0.1:${port}`,
    `--endpoint=${endpoint}`,
    '--metrics-bind-address=0',
    '--compact-min-retain=0',
  ];
  const kine = await startProcess('kine', { args, until: /Kine available at/ });
  opened.defer(async () => void (await kine.stop()));
  const running = opened.move();
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** Starts kine on a new file of SQLite. */
export async function startKineOnSqlite(): Promise<Kine> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(tempFolder('annex-kine-'));
  const options = '_journal=WAL&cache=shared&_busy_timeout=30000&_txlock=immediate';
  return await startKine(`sqlite://${folder.path}/state.db?${options}`, opened);
}

/** Starts kine on a new server of PostgreSQL. */
export async function startKineOnPostgres(): Promise<Kine> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(tempFolder('annex-postgres-'));
  const user = unprivilegedUser(folder);
  const run = async (command: string, args: readonly string[], until?: RegExp) =>
    await startProcess(user[0] ?? command, {
      args: [...user.slice(1), ...(user.length > 0 ? [command] : []), ...args],
      ...(until === undefined ? {} : { until }),
    });
  const data = `${folder.path}/data`;
  const created = await run('initdb', ['-D', data, '-U', 'kine', '--auth=trust', '--no-sync']);
  if ((await created.exited) !== 0) throw new Error(`initdb failed: ${created.lines.join('\n')}`);
  const [port] = await freePorts(1);
  const args = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', folder.path];
  const postgres = await run('postgres', args, /ready to accept connections/);
  opened.defer(async () => void (await postgres.stop('SIGINT')));
  return await startKine(`postgres://kine@127.0.0.1:${port}/kine?sslmode=disable`, opened);
}

/** PostgreSQL refuses to run as root: returns the command that starts it as another user, who owns the folder then. */
function unprivilegedUser({ path }: TempFolder): string[] {
  if (userInfo().uid !== 0) return [];
  const { uid, gid } = statSync('/var/lib/postgresql', { throwIfNoEntry: false }) ?? {
    uid: 65_534,
    gid: 65_534,
  };
  chownSync(path, uid, gid);
  return ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
}
