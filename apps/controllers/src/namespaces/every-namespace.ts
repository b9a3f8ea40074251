import type { KubeObject } from '@annex/machinery';
import type { Controller, ControllerDeps } from '../controller.ts';
import { WorkQueue } from '../work-queue.ts';
import { isActive, namespacesPath } from './namespace.ts';

/** An object that must exist in every namespace. */
export interface EveryNamespace {
  /** The collection over all namespaces. */
  path: string;
  name: string;
  /** The event types of the object after which it is checked. */
  watched: readonly ('modified' | 'deleted')[];
  /** Creates or updates the object of an active namespace. */
  sync(namespace: string, current: KubeObject | undefined): Promise<void>;
}

/** Returns a controller that maintains an object of the same name in every active namespace. */
export function everyNamespace(deps: ControllerDeps, queueName: string, kept: EveryNamespace): Controller {
  const namespaces = deps.informers.of(namespacesPath);
  const objects = deps.informers.of(kept.path, { fieldSelector: `metadata.name=${kept.name}` });
  const queue = new WorkQueue<string>(
    {
      name: queueName,
      workers: 5,
      async work(name) {
        const namespace = namespaces.get(name);
        if (namespace === undefined || !isActive(namespace)) return;
        await kept.sync(name, objects.get(`${name}/${kept.name}`));
      },
    },
    deps,
  );
  const look = ({ metadata }: KubeObject) => queue.add(metadata.name ?? '');
  namespaces.listen({ added: look, modified: look });
  const recheck = ({ metadata }: KubeObject) => queue.add(metadata.namespace ?? '');
  objects.listen(Object.fromEntries(kept.watched.map((change) => [change, recheck])));
  return {
    start: () => void Promise.all([namespaces.start(), objects.start()]).then(() => queue.start()),
    stop: () => queue.stop(),
  };
}
