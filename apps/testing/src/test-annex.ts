import { issueClientCertificate } from '@annex/auth';
import type { Annex } from '@annex/cli';
import type { Store } from '@annex/storage';
import { type ExtensionOptions, type RunningExtension, serveExtension } from './extension.ts';
import { restoreSnapshot, type Snapshot, takeSnapshot } from './snapshot.ts';
import type { TestFolder } from './test-folder.ts';
import { User } from './user.ts';

/** Whom a client certificate names. */
export interface Identity {
  user: string;
  groups?: readonly string[];
}

/** What an instance is made of. */
interface Parts {
  running: Annex;
  store: Store;
  folder: TestFolder;
  /** Starts another one like it. */
  start(from: Snapshot): Promise<TestAnnex>;
}

/**
 * An Annex that runs in the process of a test; {@link startAnnex} makes it. It stops at the end of the block that it was
 * declared in by `await using`, or by {@link TestAnnex.stop}.
 */
export class TestAnnex implements AsyncDisposable {
  /** `https://127.0.0.1:port`. */
  readonly url: string;
  /** The authority of its certificate, PEM. */
  readonly ca: string;
  /** A member of `system:masters`, who may do everything. */
  readonly admin: User;
  /** The certificate that Annex shows to extension API servers: whoever has it is believed, whomever the headers name. */
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

  /** A user with a client certificate: with the rights that RBAC gives, and none besides. */
  as(identity: Identity): Promise<User> {
    return this.#once(JSON.stringify([identity.user, identity.groups ?? []]), async () => {
      const { ca, admin } = this.#parts.running.pki;
      if (ca.key === undefined) throw new Error('the authority of the instance has no key');
      // The administrator's key serves everybody: making another one takes 100 ms, and nothing here is secret.
      const certificate = await issueClientCertificate({ cert: ca.cert, key: ca.key }, identity, admin);
      return this.#user(certificate);
    });
  }

  /** A ServiceAccount, which must exist, with a token that is bound to nothing else. */
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

  /** Somebody without credentials: `system:anonymous`. */
  anonymous(): Promise<User> {
    return this.#once('anonymous', async () => this.#user({}));
  }

  /**
   * Starts an extension API server of the SDK, with a ServiceAccount and the rights that the documentation lists, and registers
   * it. Resolves when its APIServices are available. It stops with the instance.
   */
  async serve(options: ExtensionOptions): Promise<RunningExtension> {
    const extension = await serveExtension(this, this.#parts.running.pki, options);
    this.#extensions.push(extension);
    return extension;
  }

  /** Everything that is stored at this moment. */
  snapshot(): Promise<Snapshot> {
    return takeSnapshot(this.#parts.store);
  }

  /**
   * Puts everything back as it was. Who watches sees what changes; resource versions go on, uids are those of then. Extension
   * API servers keep what they have stored themselves.
   */
  restore(snapshot: Snapshot): Promise<void> {
    return restoreSnapshot(this.#parts.store, snapshot);
  }

  /** Another instance that holds what this one holds now, or what a snapshot holds. It is stopped by itself. */
  async fork(snapshot?: Snapshot): Promise<TestAnnex> {
    return await this.#parts.start(snapshot ?? (await this.snapshot()));
  }

  /** Ends it and all of its extension servers and clients. Throws an AggregateError of what did not stop well. */
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
