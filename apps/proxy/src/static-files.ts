import { stat } from 'node:fs/promises';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import send from '@fastify/send';
import { directoryList } from './directory-list.ts';
import { badRequest, notFound, type PlainResponse, plainResponse } from './plain-response.ts';

/** Writes a short response. */
export type WritePlain = (response: ServerResponse, plain: PlainResponse) => void;

/**
 * Serves a file of a folder, its `index.html`, or a list of a folder, as Go's `http.FileServer` does. `path` is the escaped
 * path within the folder, with the leading slash; no segment is `.` or `..`, not even when it is decoded.
 */
export async function serveFile(
  folder: string,
  path: string,
  { headers, method = 'GET' }: IncomingMessage,
  response: ServerResponse,
  write: WritePlain,
): Promise<void> {
  // Each folder has one URL, so that relative links in its files work.
  if (path.endsWith('/index.html')) return write(response, moved('./'));
  const file = await find(folder, path);
  if (file === 'invalid') return write(response, badRequest);
  if (file === undefined) return write(response, notFound);
  if (file.isFolder !== path.endsWith('/'))
    return write(response, moved(file.isFolder ? `${lastSegment(path)}/` : `../${lastSegment(path)}`));
  const isListed = file.isFolder && (await find(folder, `${path}index.html`)) === undefined;
  if (isListed) return write(response, await listed(file.path));
  const sent = await send(
    { headers, method } as IncomingMessage,
    file.isFolder ? `${path}index.html` : path,
    {
      root: folder,
      dotfiles: 'allow',
      cacheControl: false,
      etag: false,
      index: false,
    },
  );
  if (sent.statusCode === 416) return write(response, withRange(sent.headers['Content-Range']));
  if (sent.type === 'error') return write(response, notFound);
  response.writeHead(sent.statusCode, sent.headers as OutgoingHttpHeaders);
  pipeline(sent.stream, response, () => undefined);
}

/** Returns undefined for what does not exist. */
async function find(
  folder: string,
  path: string,
): Promise<{ path: string; isFolder: boolean } | 'invalid' | undefined> {
  const name = decoded(path);
  // A NUL byte is in no name; a slash that was encoded separates names in Go.
  if (name === undefined || name.includes('\0') || name.includes('\\')) return 'invalid';
  try {
    const found = join(folder, name);
    // `stat` refuses a file with a slash at its end.
    return { path: found, isFolder: (await stat(found.replace(/\/$/, ''))).isDirectory() };
  } catch {
    return undefined;
  }
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

async function listed(folder: string): Promise<PlainResponse> {
  const { mtime } = await stat(folder);
  const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Last-Modified': mtime.toUTCString() };
  return { status: 200, headers, body: await directoryList(folder) };
}

const moved = (location: string): PlainResponse => ({
  status: 301,
  headers: { Location: location },
  body: '',
});

function withRange(range = ''): PlainResponse {
  const { headers, ...plain } = plainResponse(416, 'invalid range: failed to overlap');
  return { ...plain, headers: { ...headers, 'Content-Range': range } };
}

const lastSegment = (path: string): string => path.split('/').findLast((segment) => segment !== '') ?? '';
