import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** The TCP ports that a process listens on. Source: proc(5), of Linux. */
export function listeningPorts(pid: number): Set<number> {
  const own = new Set(readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`)));
  const rows = ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8').trim().split('\n').slice(1),
  );
  const sockets = rows.map((row) => row.trim().split(/\s+/));
  // 0A is the state LISTEN.
  const listening = sockets.filter((columns) => columns[3] === '0A' && own.has(`socket:[${columns[9]}]`));
  return new Set(listening.map(([, address = '']) => Number.parseInt(address.split(':')[1] ?? '', 16)));
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    // It was closed since.
    return undefined;
  }
}
