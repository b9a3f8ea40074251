import { issueClientCertificate } from '@annex/auth';
import type { Annex } from '@annex/cli';
import type { Store } from '@annex/storage';
import { type ExtensionOptions, type RunningExtension, serveExtension } from './extension.ts';
import { restoreSnapshot, type Snapshot, takeSnapshot } from './snapshot.ts';
import type { TestFolder } from './test-folder.ts';
import { User } from './user.ts';

/** The user and groups in a client certificate. */
export interface Identity {
  user: string;
  groups?: readonly string[];
}

/** The parts of an instance. */
interface Parts {
  running: Annex;
  store: Store;
  folder: TestFolder;
  /** Starts another instance with the same options. */
  start(from: Snapshot): Promise<TestAnnex>;
}

/**
 * An Annex that runs in the process of a test; {@link startAnnex} creates it. It stops at the end of the block that declares it with `await
 * using`, or by {@link TestAnnex.stop}.
 */
export class TestAnnex implements AsyncDisposable {
  /** `https://127.0.0.1:port`. */
  readonly url: string;
  /** PEM of the CA that signed its certificate. */
  readonly ca: string;
  /** A member of `system:masters`, which has all permissions. */
  readonly admin: User;
  /** The client certificate of Annex for extension API servers. They trust the identity headers in requests with it. */
  readonly proxyCertificate: { readonly cert: string; readonly key: string };
  readonly #parts: Parts;
  readonly #users = new Map<string, Promise<User>>();
  readonly #extensions: RunningExtension[] = [];

  /** @internal */
  constructor(parts: Parts) {
    const { pki, url } = parts.running;
    this.#parts = parts;
    this.url = url;
    this.ca = pki.ca.cert;
    this.proxyCertificate = { cert: pki.frontProxyClient.cert, key: pki.frontProxyClient.key };
    this.admin = this.#user({ cert: pki.admin.cert, key: pki.admin.key });
  }

  /** Returns a user with a client certificate and only those permissions that RBAC grants. */
  as(identity: Identity): Promise<User> {
    return this.#once(JSON.stringify([identity.user, identity.groups ?? []]), async () => {
      const { ca, admin } = this.#parts.running.pki;
      if (ca.key === undefined) throw new Error('the CA of the instance has no key');
      // All users share the administrator's key: creating another one takes 100 ms, and nothing here is secret.
      const certificate = await issueClientCertificate({ cert: ca.cert, key: ca.key }, identity, admin);
      return this.#user(certificate);
    });
  }

  /** Returns an existing ServiceAccount with a token that is not bound to an object. */
  serviceAccount(namespace: string, name: string): Promise<User> {
    return this.#once(JSON.stringify({ namespace, name }), async () => {
      const { status } = await this.admin.client.json<{ status: { token: string } }>({
        method: 'POST',
        path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
        body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: {}, spec: {} },
      });
      return this.#user({ token: status.token });
    });
  }

  /** Returns an unauthenticated user: `system:anonymous`. */
  anonymous(): Promise<User> {
    return this.#once('anonymous', async () => this.#user({}));
  }

  /**
   * Starts an extension API server of the SDK, and registers it with a ServiceAccount and the permissions in the Kubernetes documentation.
   * Resolves when its APIServices are available. It stops with the instance.
   */
  async serve(options: ExtensionOptions): Promise<RunningExtension> {
    const extension = await serveExtension(this, this.#parts.running.pki, options);
    this.#extensions.push(extension);
    return extension;
  }

  /** Resolves to a snapshot of the stored objects. */
  snapshot(): Promise<Snapshot> {
    return takeSnapshot(this.#parts.store);
  }

  /**
   * Restores all stored objects. Watches receive the changes; resource versions increase, uids are those of the snapshot. Extension API
   * servers keep the objects in their own stores.
   */
  restore(snapshot: Snapshot): Promise<void> {
    return restoreSnapshot(this.#parts.store, snapshot);
  }

  /** Starts another instance with the content of this one, or of a snapshot. Stop it separately. */
  async fork(snapshot?: Snapshot): Promise<TestAnnex> {
    return await this.#parts.start(snapshot ?? (await this.snapshot()));
  }

  /** Stops the instance with its extension servers and clients. Throws an AggregateError of the errors. */
  async stop(): Promise<void> {
    for (const extension of this.#extensions.splice(0)) await extension.stop();
    for (const user of await Promise.allSettled(this.#users.values())) {
      if (user.status === 'fulfilled') user.value[Symbol.dispose]();
    }
    this.admin[Symbol.dispose]();
    const errors = await this.#parts.running.stop();
    this.#parts.folder[Symbol.dispose]();
    if (errors.length > 0) throw new AggregateError(errors, errors.map(({ message }) => message).join('\n'));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #user(credentials: { cert?: string; key?: string; token?: string }): User {
    const config = { server: this.url, ca: this.ca, ...credentials };
    return new User(config, (text) => this.#parts.folder.write('kubeconfig', text));
  }

  #once(key: string, make: () => Promise<User>): Promise<User> {
    let made = this.#users.get(key);
    if (made === undefined) this.#users.set(key, (made = make()));
    return made;
  }
}
