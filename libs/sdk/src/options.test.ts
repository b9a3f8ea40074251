import { parseOptions } from '@annex/runtime';
import { expect, test } from 'vitest';
import { extensionConflicts, extensionOptions } from './options.ts';

const gate = { name: 'BanFlunder' };

test.each<[string, string[], string[]]>([
  ['a plugin of every API server', ['--disable-admission-plugins=ValidatingAdmissionWebhook'], []],
  ['a plugin of the server itself', ['--disable-admission-plugins=BanFlunder'], []],
  [
    'a plugin that only kube-apiserver has',
    ['--disable-admission-plugins=LimitRanger'],
    ['disable-admission-plugins plugin "LimitRanger" is unknown'],
  ],
  [
    'a plugin that is both enabled and disabled',
    ['--enable-admission-plugins=BanFlunder', '--disable-admission-plugins=BanFlunder'],
    ['[BanFlunder] in enable-admission-plugins and disable-admission-plugins overlapped'],
  ],
])('the errors of an extension API server without %s', (_, argv, errors) => {
  const parsed = parseOptions(extensionOptions, argv, {}, extensionConflicts([gate]));
  const said = parsed.kind === 'errors' ? parsed.errors.map(({ message }) => message) : [];
  expect(said).toEqual(errors);
});
