import {
  CustomObjectsApi,
  type KubeConfig,
  type KubernetesListObject,
  KubernetesObjectApi,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1ObjectMeta,
} from '@kubernetes/client-node';

/** The custom resource. */
export interface Website {
  apiVersion: string;
  kind: string;
  metadata: V1ObjectMeta & { name: string; namespace: string };
  spec: { html: string };
  status?: { published?: boolean; observedGeneration?: number };
}

const resource = { group: 'example.com', version: 'v1', plural: 'websites' };
const fieldManager = 'website-operator';
/** Milliseconds until a failed watch or a failed website is tried again. */
const retryMs = 1000;

/** Starts the controller. Resolves to a function that stops it. */
export async function runOperator(config: KubeConfig): Promise<() => Promise<void>> {
  const objects = KubernetesObjectApi.makeApiClient(config);
  const websites = config.makeApiClient(CustomObjectsApi);
  const list = async () =>
    (await websites.listClusterCustomObject(resource)) as KubernetesListObject<Website>;
  const informer = makeInformer(config, '/apis/example.com/v1/websites', list);
  const timers = new Set<NodeJS.Timeout>();
  const later = (work: () => void): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      work();
    }, retryMs);
    timers.add(timer);
  };

  const reconcile = (website: Website): void => {
    const { name, namespace, generation } = website.metadata;
    if (website.status?.observedGeneration === generation) return;
    publish(website).catch((error: unknown) => {
      console.error(`${namespace}/${name}: ${String(error)}`);
      later(() => {
        const current = informer.get(name, namespace);
        if (current !== undefined) reconcile(current);
      });
    });
  };

  /** Applies the ConfigMap of a website, and reports it in the status. */
  async function publish({ apiVersion, kind, metadata, spec }: Website): Promise<void> {
    const { name, namespace, uid = '', generation } = metadata;
    const configMap = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      // The garbage collector deletes it with its owner.
      metadata: { name, namespace, ownerReferences: [{ apiVersion, kind, name, uid, controller: true }] },
      data: { 'index.html': spec.html },
    };
    const { ServerSideApply, MergePatch } = PatchStrategy;
    await objects.patch(configMap, undefined, undefined, fieldManager, true, ServerSideApply);
    const body = { status: { published: true, observedGeneration: generation } };
    await websites.patchNamespacedCustomObjectStatus(
      { ...resource, name, namespace, body },
      setHeaderOptions('Content-Type', MergePatch),
    );
  }

  informer.on('add', reconcile);
  informer.on('update', reconcile);
  // `stop` ends the watch with an error.
  let stopped = false;
  informer.on('error', (error: unknown) => {
    if (stopped) return;
    console.error(`the watch failed: ${String(error)}`);
    later(() => void informer.start());
  });
  await informer.start();
  return async () => {
    stopped = true;
    for (const timer of timers) clearTimeout(timer);
    await informer.stop();
  };
}
