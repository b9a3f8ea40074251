import { once } from 'node:events';
import { connect } from 'node:http2';
import type { HostileServer } from './hostile-server.ts';

/** Names that every JavaScript object inherits, or with a special meaning in JavaScript. */
export const hostileNames = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  '__defineGetter__',
  'then',
  'toJSON',
] as const;

/** True for names that are valid label names: they begin and end with a letter or digit. */
export const isLabelName = (name: string): boolean => /^[a-z]/i.test(name);

/** Returns a JSON object with this member for each of the names. JavaScript literals cannot contain the member `__proto__`. */
export const membersOf = (names: readonly string[], value: unknown): object =>
  Object.fromEntries(names.map((name) => [name, value]));

/** A module that prints the names in Object.prototype when a process ends: no names may be added. */
export const printsPrototype = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
    "process.on('exit', () => process._rawDebug('prototype:' + Object.getOwnPropertyNames(Object.prototype).sort()))",
  )}`,
};

/** Sends a request as the administrator; resolves to the status and the body. */
export async function send(
  server: HostileServer,
  [method, path]: readonly [method: string, path: string],
  body?: unknown,
  type = 'application/json',
): Promise<{ status: number; message: string; body: Record<string, unknown>; text: string }> {
  const content = typeof body === 'string' ? body : JSON.stringify(body);
  const sent = content === undefined ? {} : { headers: { 'Content-Type': type }, body: content };
  const { status, text } = await server.ask({ method, path, ...sent });
  const read = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {};
  return { status, text, body: read, message: String(read.message ?? '') };
}

/** Resolves to the status of a method that can only be sent over HTTP/2. */
export async function http2Status(server: HostileServer, method: string, path: string): Promise<number> {
  const { certificate: cert, key } = server.admin;
  const session = connect(server.annex.url, { cert, key, rejectUnauthorized: false });
  try {
    const stream = session.request({ ':method': method, ':path': path });
    stream.end();
    const [headers] = (await once(stream, 'response')) as [{ ':status': number }];
    stream.resume();
    return headers[':status'];
  } finally {
    session.destroy();
  }
}
