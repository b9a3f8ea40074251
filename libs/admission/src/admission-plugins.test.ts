import { expect, test } from 'vitest';
import { admissionConflicts } from './admission-plugins.ts';

test.each([
  ['nothing', [], [], []],
  ['what runs anyway', ['LimitRanger'], [], []],
  ['without a plugin that is not here', [], ['NodeRestriction'], []],
  ['an unknown plugin', ['Foo'], [], ['enable-admission-plugins plugin "Foo" is unknown']],
  ['without an unknown plugin', [], ['Foo'], ['disable-admission-plugins plugin "Foo" is unknown']],
  [
    'a plugin that is not here',
    ['NodeRestriction'],
    [],
    ['enable-admission-plugins plugin "NodeRestriction" is not part of this server'],
  ],
  [
    'on and off',
    ['Priority', 'LimitRanger'],
    ['Priority', 'LimitRanger'],
    ['[LimitRanger Priority] in enable-admission-plugins and disable-admission-plugins overlapped'],
  ],
])('admission with %s is told what is wrong', (_, enabled, disabled, errors) => {
  const config = {
    enableAdmissionPlugins: enabled,
    disableAdmissionPlugins: disabled,
    admissionControlConfigFile: undefined,
  };
  expect(admissionConflicts(config)).toEqual(errors);
});
