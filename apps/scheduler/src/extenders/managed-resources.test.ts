import { expect, it } from 'vitest';
import { decodeConfiguration } from '../config/decode.ts';
import { withoutManagedResources } from './managed-resources.ts';

it('the resources that only extenders decide about replace those that a profile ignores', async () => {
  const { extenders, profiles } = await decodeConfiguration(
    JSON.stringify({
      apiVersion: 'kubescheduler.config.k8s.io/v1',
      kind: 'KubeSchedulerConfiguration',
      profiles: [
        { pluginConfig: [{ name: 'NodeResourcesFit', args: { ignoredResources: ['example.com/a'] } }] },
      ],
      extenders: [
        {
          urlPrefix: 'http://e',
          managedResources: [{ name: 'example.com/b', ignoredByScheduler: true }, { name: 'example.com/c' }],
        },
      ],
    }),
  );
  const [profile] = profiles as [(typeof profiles)[number]];
  const fit = withoutManagedResources(profile, extenders).pluginConfig.find(
    ({ name }) => name === 'NodeResourcesFit',
  );
  expect(fit?.args).toMatchObject({ ignoredResources: ['example.com/b'] });
  expect(withoutManagedResources(profile, [])).toBe(profile);
});
