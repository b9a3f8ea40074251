import { describe, expect, it } from 'vitest';
import { servedApis, servedApisConflicts } from './served-apis.ts';

const of = (path: string) => {
  const [group = '', version = '', resource = ''] = path.split('/');
  return { group, version, resource };
};

describe('the served APIs', () => {
  it.each<[string, string[], string, boolean]>([
    ['built-in ones by default', [], 'apps/v1/deployments', true],
    ['no retired version by default', [], 'apiextensions.k8s.io/v1beta1/customresourcedefinitions', false],
    [
      'V1B a retired version that is switched on',
      ['apiextensions.k8s.io/v1beta1=true'],
      'apiextensions.k8s.io/v1beta1/customresourcedefinitions',
      true,
    ],
    [
      'a key without a value enables it',
      ['apiextensions.k8s.io/v1beta1'],
      'apiextensions.k8s.io/v1beta1/customresourcedefinitions',
      true,
    ],
    ['a disabled version', ['batch/v1=false'], 'batch/v1/jobs', false],
    [
      'another version of its group',
      ['autoscaling/v1=false'],
      'autoscaling/v2/horizontalpodautoscalers',
      true,
    ],
    ['a disabled resource', ['apps/v1/deployments=false'], 'apps/v1/deployments', false],
    ['another resource of its version', ['apps/v1/deployments=false'], 'apps/v1/daemonsets', true],
    [
      'a resource of a disabled version',
      ['apps/v1/deployments=true', 'apps/v1=0'],
      'apps/v1/deployments',
      true,
    ],
    ['the core group', ['api/v1=false'], '/v1/pods', false],
    ['the core group by the key of one of its resources', ['v1/pods=false'], '/v1/services', false],
    ['betas', ['api/beta=true'], 'apiextensions.k8s.io/v1beta1/customresourcedefinitions', true],
    [
      'no beta if alphas are enabled',
      ['api/alpha=true'],
      'apiextensions.k8s.io/v1beta1/customresourcedefinitions',
      false,
    ],
    [
      'disabled betas if everything is enabled',
      ['api/beta=false', 'api/all=true'],
      'apiextensions.k8s.io/v1beta1/customresourcedefinitions',
      false,
    ],
    ['one version if all others are disabled', ['api/ga=false', 'apps/v1=true'], 'apps/v1/deployments', true],
    ['the rest', ['api/ga=false', 'apps/v1=true'], 'batch/v1/jobs', false],
    ['APIs that are not built in', ['api/all=false'], 'wardle.example.com/v1/flunders', true],
    ['the last value of a key', ['batch/v1=false', 'batch/v1=true'], 'batch/v1/jobs', true],
  ])('%s: %j, %s', (_name, entries, path, expected) => {
    expect(servedApis(entries)(of(path))).toBe(expected);
  });
});

describe('invalid values of --runtime-config', () => {
  it.each<[string, string[], string[]]>([
    ['the legacy key is valid', ['api/legacy=true'], []],
    ['all unknown groups', ['foo/v1=true', 'bar.x/v2=false'], ['unknown api groups bar.x/v2,foo/v1']],
    ['unknown versions', ['apps/v9=true'], ['group version apps/v9 that has not been registered']],
    [
      'resources in capitals',
      ['apps/v1/Deployments=true'],
      [
        'invalid key apps/v1/Deployments: group/version/resource and resource is always lowercase plural, not "Deployments"',
      ],
    ],
    [
      'invalid values',
      ['apps/v1=maybe'],
      ['invalid value of apps/v1: maybe, err: strconv.ParseBool: parsing "maybe": invalid syntax'],
    ],
    ['patterns are true or false', ['api/all=1'], ['invalid value api/all=1']],
    ['everything disabled', ['api/all=false'], ['invalid runtime-config with only api/all=false']],
    ['keys with too many parts', ['a/b/c/d=true'], ['runtime-config invalid key a/b/c/d']],
    ['keys with too few', ['apps=true'], ['runtime-config invalid key apps']],
    [
      'APIS-002 what Annex itself reads: what the documentation says of it is no longer so in kube-apiserver',
      ['apiregistration.k8s.io/v1=false'],
      ['API group/version apiregistration.k8s.io/v1 must be enabled'],
    ],
    [
      'resources that Annex itself reads',
      ['apiextensions.k8s.io/v1/customresourcedefinitions=false'],
      ['API group/version apiextensions.k8s.io/v1 must be enabled'],
    ],
  ])('%s', (_name, runtimeConfig, expected) => {
    expect(servedApisConflicts({ runtimeConfig })).toEqual(expected.map((why) => `--runtime-config: ${why}`));
  });
});
