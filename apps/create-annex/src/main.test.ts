import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '@annex/testkit';
import { expect, test, vi } from 'vitest';
import { main } from './main.ts';

/** Runs the command in an empty folder. */
function run(...argv: string[]) {
  using parent = tempFolder('create-annex-');
  const folder = join(parent.path, 'mine');
  let text = '';
  const write = (part: string | Uint8Array): boolean => Boolean((text += String(part)));
  const spies = [process.stdout, process.stderr].map((out) =>
    vi.spyOn(out, 'write').mockImplementation(write),
  );
  try {
    const code = main(argv.map((word) => (word === 'FOLDER' ? folder : word)));
    const readme = code === 0 ? readFileSync(join(folder, 'README.md'), 'utf8') : '';
    return { code, text, about: /^(?:Tests|An extension|An operator)/m.exec(readme)?.[0] };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

test.each<[how: string, argv: string[], about: string]>([
  ['without an option', ['FOLDER'], 'Tests'],
  ['with an option', ['FOLDER', '--template', 'operator'], 'An operator'],
  ['with an option that npm removed', ['FOLDER', 'extension-server'], 'An extension'],
])('creates a project %s', (_, argv, about) => {
  expect(run(...argv)).toMatchObject({ code: 0, about });
});

test('the other templates are mentioned if none is chosen', () => {
  expect(run('FOLDER').text).toContain('There are other templates');
  expect(run('FOLDER', '--template=operator').text).not.toContain('There are other templates');
});

test.each<[why: string, argv: string[], text: string]>([
  ['two folders', ['FOLDER', 'b'], 'there is no template "b"'],
  ['three words', ['FOLDER', 'operator', 'c'], 'one folder is expected, not 3'],
  ['two templates', ['FOLDER', 'operator', '-t', 'crd-tests'], 'one folder is expected, not 2'],
  ['an unknown template', ['FOLDER', '-t', 'x'], 'there is no template "x"'],
  ['an unknown option', ['FOLDER', '--tempalte=x'], "Unknown option '--tempalte'"],
])('%s: an error with the usage', (_, argv, text) => {
  const result = run(...argv);
  expect(result.code).toBe(2);
  expect(result.text).toContain(text);
  expect(result.text).toContain('usage: npm create annex');
});
