import { mandatoryLevels, mandatorySchemas, suggestedLevels, suggestedSchemas } from '@annex/flow-control';
import { finish, finishSoon, type KubeObject } from '@annex/machinery';
import {
  decodeLarge,
  encodeStored,
  encodeStoredInSlices,
  isLarge,
  pause,
  type ServerDeps,
} from '@annex/server';
import { createMissing, StoreError, type StoredObject } from '@annex/storage';
import { type BootstrapObject, bootstrapObject, created, restored } from './bootstrap-object.ts';
import { withDangling } from './dangling.ts';

const [schemas, levels] = ['/registry/flowschemas/', '/registry/prioritylevelconfigurations/'] as const;
/** Milliseconds between checks of the bootstrap objects, as in kube-apiserver. */
const checkMs = 60_000;

const bootstrapObjects: readonly BootstrapObject[] = [
  ...suggestedLevels.map((object) => bootstrapObject('PriorityLevelConfiguration', levels, object, false)),
  ...suggestedSchemas.map((object) => bootstrapObject('FlowSchema', schemas, object, false)),
  ...mandatoryLevels.map((object) => bootstrapObject('PriorityLevelConfiguration', levels, object, true)),
  ...mandatorySchemas.map((object) => bootstrapObject('FlowSchema', schemas, object, true)),
];

const bootstrapLevels = [...suggestedLevels, ...mandatoryLevels].map(({ name }) => name);

/** Keeps the bootstrap objects of priority and fairness, and the conditions of FlowSchemas. */
export class FlowControlKeeper {
  readonly #deps: Pick<ServerDeps, 'clock' | 'feed' | 'log' | 'store'>;
  readonly #writesConditions: boolean;
  #ends: (() => void)[] = [];
  #isStopped = false;
  #isUpdateDue = false;
  #running: Promise<void> = Promise.resolve();

  constructor(deps: Pick<ServerDeps, 'clock' | 'feed' | 'log' | 'store'>, writesConditions: boolean) {
    this.#deps = deps;
    this.#writesConditions = writesConditions;
  }

  /** Resolves when the objects exist. */
  async start(): Promise<void> {
    const { clock, feed } = this.#deps;
    await Promise.all([schemas, levels].map((prefix) => feed.objects(prefix).waitFor()));
    await this.#create();
    for (const prefix of [schemas, levels]) this.#follow(prefix);
    const timer = clock.setInterval(() => this.#run(() => this.#restore()), checkMs);
    this.#ends.push(() => timer.cancel());
    this.#run(() => this.#restore());
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const end of this.#ends) end();
    await this.#running;
  }

  #follow(prefix: string): void {
    const cache = this.#deps.feed.objects(prefix);
    const onEvent = () => this.#updateLater();
    const onError = () => this.#run(() => cache.waitFor().then(() => this.#follow(prefix)));
    if (!this.#isStopped) this.#ends.push(cache.subscribe(prefix, cache.revision, { onEvent, onError }));
  }

  /** Many objects can change at a time, and each update looks at all of them. */
  #updateLater(): void {
    if (this.#isUpdateDue) return;
    this.#isUpdateDue = true;
    this.#run(() => this.#updateConditions());
  }

  /** Runs one task after the other. */
  #run(task: () => Promise<void>): void {
    this.#running = this.#running
      .then(() => (this.#isStopped ? undefined : task()))
      .catch((error: unknown) =>
        this.#deps.log.warn('objects of priority and fairness cannot be written', { error }),
      );
  }

  /** Creates the objects that are missing. */
  async #create(): Promise<void> {
    const { clock, store } = this.#deps;
    const missing = bootstrapObjects.filter(({ key }) => this.#stored(key) === undefined);
    const entries = missing.map((object) => ({
      key: object.key,
      value: encodeStored(this.#withCondition(created(object, clock.now()))),
    }));
    await createMissing(store, entries);
  }

  /** A FlowSchema is created with its condition: writing it afterwards takes longer than everything else of a start. */
  #withCondition(object: KubeObject): KubeObject {
    if (!this.#writesConditions || object.kind !== 'FlowSchema') return object;
    const names = new Set([...this.#levelNames(), ...bootstrapLevels]);
    return finish(withDangling(object, names, this.#deps.clock.now())) ?? object;
  }

  /** Creates and restores the objects that were deleted or changed. */
  async #restore(): Promise<void> {
    await this.#create();
    for (const wanted of bootstrapObjects) {
      const stored = this.#stored(wanted.key);
      if (stored !== undefined) await this.#change(wanted.key, stored, (object) => restored(wanted, object));
    }
    await this.#updateConditions();
  }

  async #updateConditions(): Promise<void> {
    this.#isUpdateDue = false;
    if (!this.#writesConditions) return;
    const { clock, feed } = this.#deps;
    const names = new Set(this.#levelNames());
    for (const { key, value } of feed.objects(schemas).list(schemas).entries) {
      const paused = pause();
      if (paused !== undefined) await paused;
      await this.#change(key, value, (object) => finishSoon(withDangling(object, names, clock.now()), pause));
    }
  }

  #levelNames(): string[] {
    return this.#deps.feed
      .objects(levels)
      .list(levels)
      .entries.map(({ key }) => key.slice(levels.length));
  }

  #stored(key: string): StoredObject | undefined {
    return this.#deps.feed.objects(key.startsWith(schemas) ? schemas : levels).get(key)?.value;
  }

  async #change(
    key: string,
    stored: StoredObject,
    change: (object: KubeObject) => KubeObject | undefined | Promise<KubeObject | undefined>,
  ): Promise<void> {
    const decoding = decodeLarge(stored);
    if (decoding !== undefined) await decoding;
    const changing = change(stored.object);
    const changed = changing instanceof Promise ? await changing : changing;
    if (changed === undefined) return;
    const value = isLarge(stored) ? await encodeStoredInSlices(changed) : encodeStored(changed);
    try {
      await this.#deps.store.update(key, value, stored.modRevision);
    } catch (error) {
      // Somebody else has changed it since: its event calls this again.
      if (!(error instanceof StoreError && (error.code === 'conflict' || error.code === 'notFound')))
        throw error;
    }
  }
}
