import { Client, type ClientConfig, ResourceClient, type ResourceAddress } from '@annex/client';
import { kubeconfigText } from './kubeconfig.ts';
import type { KubeObject } from '@annex/machinery';
import { groupVersion } from '@annex/machinery';
import type { Resource } from '@annex/sdk';
import { applyManifests } from './manifests.ts';

/** A user of an instance, for requests and for kubectl. */
export class User implements Disposable {
  /** Sends requests of any form. */
  readonly client: Client;
  /** The URL of the instance and the credentials of this user, for clients of other libraries. */
  readonly config: ClientConfig;
  readonly #writeFile: (text: string) => string;
  #file: string | undefined;

  /** @internal */
  constructor(config: ClientConfig, writeFile: (text: string) => string) {
    this.config = config;
    this.client = new Client(config);
    this.#writeFile = writeFile;
  }

  /** The text of a kubeconfig. */
  get kubeconfig(): string {
    return kubeconfigText(this.config);
  }

  /**
   * Returns the path of a file with that text, for `kubectl --kubeconfig` and `KUBECONFIG`. The file is removed when the instance stops.
   */
  get kubeconfigFile(): string {
    return (this.#file ??= this.#writeFile(this.kubeconfig));
  }

  /**
   * Returns a client of a resource: with the types of its schema if the SDK defined it, or else with the given type.
   *
   * @example
   * jane.resource<ConfigMap>({ apiVersion: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespace: 'default' });
   * jane.resource('hello.example.com', greetings, 'default');
   */
  resource<T extends KubeObject = KubeObject, I = T>(address: ResourceAddress): ResourceClient<T, I>;
  resource<T extends KubeObject, I>(
    group: string,
    resource: Resource<T, I>,
    namespace?: string,
  ): ResourceClient<T, I>;
  resource(
    address: ResourceAddress | string,
    resource?: Resource<KubeObject, unknown>,
    namespace?: string,
  ): ResourceClient<KubeObject, unknown> {
    if (typeof address !== 'string') return new ResourceClient(this.client, address);
    const { version = '', kind = '', plural = '' } = resource ?? {};
    return new ResourceClient(this.client, {
      apiVersion: groupVersion({ group: address, version }),
      resource: plural,
      kind,
      ...(namespace === undefined ? {} : { namespace }),
    });
  }

  /**
   * Applies manifests, YAML or objects, in their order, as `kubectl apply --server-side` does. Waits until a CRD is served before it
   * applies the next object. Objects without a namespace are created in `default`.
   */
  apply(manifests: string | readonly KubeObject[]): Promise<KubeObject[]> {
    return applyManifests(this.client, manifests);
  }

  /** Closes the connections. The instance calls this when it stops. */
  [Symbol.dispose](): void {
    this.client.close();
  }
}
