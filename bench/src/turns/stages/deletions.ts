import { remove } from '../groups/request-group.ts';
import { definitions, mixedObjects, numbered, widgets } from './stored-kinds.ts';
import { type Stage, start } from './stage.ts';

const owner = '/api/v1/namespaces/owned/configmaps';
const full = '/api/v1/namespaces/full/configmaps';

const crd = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${numbered(0).metadata.name}`;

/** Deletion of an owner, a collection, a namespace with several kinds, and a definition, with so many objects each. */
const deletions = (count: number): Stage => ({
  name: `deletion of ${count / 1000}k objects`,
  image: () => ({
    objects: 0,
    text: 0,
    dependents: count,
    inNamespace: count,
    further: [...mixedObjects('mixed', count), ...definitions(1), ...widgets(count)],
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
    {
      name: 'definition',
      run: async (site) => {
        await site.must(remove(crd));
        await site.gone(crd);
      },
    },
  ],
});

export const deletionStages: readonly Stage[] = [deletions(2000), deletions(20_000)];
