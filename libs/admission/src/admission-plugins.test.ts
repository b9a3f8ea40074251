import { expect, test } from 'vitest';
import { admissionConflicts } from './admission-plugins.ts';

test.each([
  ['nothing', [], [], []],
  ['a default plugin', ['LimitRanger'], [], []],
  ['plugins that are off by default', ['AlwaysPullImages', 'OwnerReferencesPermissionEnforcement'], [], []],
  ['a disabled plugin that Annex does not have', [], ['NodeRestriction'], []],
  ['an unknown plugin', ['Foo'], [], ['enable-admission-plugins plugin "Foo" is unknown']],
  ['a disabled unknown plugin', [], ['Foo'], ['disable-admission-plugins plugin "Foo" is unknown']],
  [
    'a plugin that Annex does not have',
    ['NodeRestriction'],
    [],
    ['enable-admission-plugins plugin "NodeRestriction" is not part of this server'],
  ],
  [
    'a plugin both enabled and disabled',
    ['Priority', 'LimitRanger'],
    ['Priority', 'LimitRanger'],
    ['[LimitRanger Priority] in enable-admission-plugins and disable-admission-plugins overlapped'],
  ],
])('the errors of the options with %s', (_, enabled, disabled, errors) => {
  const config = {
    enableAdmissionPlugins: enabled,
    disableAdmissionPlugins: disabled,
    admissionControlConfigFile: undefined,
  };
  expect(admissionConflicts(config)).toEqual(errors);
});
