import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { escapeUrl } from '@annex/machinery';
import { escapeHtml } from './plain-response.ts';

/** The largest number of entries of a list; the rest is left out. */
export const maxListedEntries = 10_000;

/** Returns the HTML list of a folder, as Go's `http.FileServer` writes it: by name, folders with a slash. */
export async function directoryList(folder: string): Promise<string> {
  const names = (await readdir(folder)).toSorted().slice(0, maxListedEntries);
  const lines: string[] = [];
  for (const name of names) lines.push(line((await isFolder(join(folder, name))) ? `${name}/` : name));
  return `<!doctype html>\n<meta name="viewport" content="width=device-width">\n<pre>\n${lines.join('')}</pre>\n`;
}

const isFolder = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
};

/** A name with a colon before any slash would be read as a scheme. */
function line(name: string): string {
  const path = escapeUrl(name, 'path');
  const link = path.includes(':') ? `./${path}` : path;
  return `<a href="${link}">${escapeHtml(name)}</a>\n`;
}
