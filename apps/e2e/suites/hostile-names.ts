import type { HostileServer } from './hostile-server.ts';

/** Names that every JavaScript object inherits, or that the language treats in its own way. */
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

/** Names that may be the name of a label: it begins and ends with a letter or digit. */
export const isLabelName = (name: string): boolean => /^[a-z]/i.test(name);

/** A JSON object with this member for each of the names. Literals of JavaScript cannot say `__proto__`. */
export const membersOf = (names: readonly string[], value: unknown): object =>
  Object.fromEntries(names.map((name) => [name, value]));

/** Prints the names that Object.prototype has when a process ends: nothing may have been added. */
export const printsPrototype = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
    "process.on('exit', () => process._rawDebug('prototype:' + Object.getOwnPropertyNames(Object.prototype).sort()))",
  )}`,
};

/** A request of the administrator: the status, and the body. */
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
