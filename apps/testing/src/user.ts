import { Client, type ClientConfig, ResourceClient, type ResourceAddress } from '@annex/client';
import { kubeconfigText } from './kubeconfig.ts';
import type { KubeObject } from '@annex/machinery';
import { groupVersion } from '@annex/machinery';
import type { Resource } from '@annex/sdk';
import { applyManifests } from './manifests.ts';

/** Somebody who uses an instance: requests are sent, and kubectl is run, as this user. */
export class User implements Disposable {
  /** Requests of any form. */
  readonly client: Client;
  /** Where the instance is, and the credentials of this user: for clients of other libraries. */
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

  /** The path of a file with that text, for `kubectl --kubeconfig` and `KUBECONFIG`. It is gone when the instance stops. */
  get kubeconfigFile(): string {
    return (this.#file ??= this.#writeFile(this.kubeconfig));
  }

  /**
   * The objects of a resource: with the types of its schema where it is one of the SDK, else with the type that you say.
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
   * Applies manifests, YAML or objects, in their order, as `kubectl apply --server-side` does. A definition is served before
   * the next one is applied. Objects without a namespace go into `default`.
   */
  apply(manifests: string | readonly KubeObject[]): Promise<KubeObject[]> {
    return applyManifests(this.client, manifests);
  }

  /** Closes the connections; the instance does it when it stops. */
  [Symbol.dispose](): void {
    this.client.close();
  }
}
