import { remove } from '../groups/request-group.ts';
import { mixedObjects } from './stored-kinds.ts';
import { type Stage, start } from './stage.ts';

const owner = '/api/v1/namespaces/owned/configmaps';
const full = '/api/v1/namespaces/full/configmaps';

/** Deletion of an owner, of a collection and of a namespace with several kinds, with so many objects each. */
const deletions = (count: number): Stage => ({
  name: `deletion of ${count / 1000}k objects`,
  image: () => ({
    objects: 0,
    text: 0,
    dependents: count,
    inNamespace: count,
    further: mixedObjects('mixed', count),
  }),
  steps: [
    start,
    {
      name: 'owner of all',
      run: async (site) => {
        await site.must(remove(`${owner}/owner`));
        await site.emptied(owner);
      },
    },
    { name: 'collection', run: (site) => site.must(remove(full)) },
    {
      name: 'namespace',
      run: async (site) => {
        await site.must(remove('/api/v1/namespaces/mixed'));
        await site.gone('/api/v1/namespaces/mixed');
      },
    },
  ],
});

export const deletionStages: readonly Stage[] = [deletions(2000), deletions(20_000)];
