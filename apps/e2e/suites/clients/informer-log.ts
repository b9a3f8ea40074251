import { isObject, type KubeObject, parseJson } from '@annex/machinery';
import { type RunningProcess, startProcess } from '@annex/testkit';

/** An event that an informer sent to its handler. */
export interface InformerEvent {
  kind: string;
  /** `LOST` for a deletion that the informer missed and detected later. */
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'LOST';
  name: string;
  object: KubeObject;
}

/** The informer program, which watches widgets and ConfigMaps. */
export interface InformerLog extends AsyncDisposable {
  readonly events: readonly InformerEvent[];
  /** Returns the output other than events. */
  remarks(): readonly string[];
  /** Resolves when `count` events match, including earlier ones. */
  sees(count: number, wanted: (event: InformerEvent) => boolean): Promise<void>;
}

/** Maximum milliseconds until expected changes arrive. */
const withinMs = 120_000;

/** Starts the informer program and resolves when it has the initial objects. */
export async function startInformer(program: string, kubeconfig: string): Promise<InformerLog> {
  const events: InformerEvent[] = [];
  const waiting = new Set<(event: InformerEvent) => void>();
  const onLine = (line: string): void => {
    if (!line.startsWith('{')) return;
    const event = parseJson(line);
    if (!isObject(event)) return;
    events.push(event as unknown as InformerEvent);
    for (const check of waiting) check(event as unknown as InformerEvent);
  };
  const running: RunningProcess = await startProcess(program, {
    args: ['informer', '--kubeconfig', kubeconfig],
    until: /^synced$/,
    onLine,
  });
  return {
    events,
    remarks: () => running.lines.filter((line) => !line.startsWith('{')),
    async sees(count, wanted) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      let seen = 0;
      const check = (event: InformerEvent) => void (wanted(event) && ++seen >= count && resolve());
      const timer = setTimeout(() => reject(new Error(`only ${seen} of ${count} events came`)), withinMs);
      events.forEach(check);
      waiting.add(check);
      await promise.finally(() => {
        clearTimeout(timer);
        waiting.delete(check);
      });
    },
    [Symbol.asyncDispose]: async () => void (await running.stop()),
  };
}
