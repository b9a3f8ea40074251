import { X509Certificate } from 'node:crypto';
import {
  getOwn,
  isObject,
  type KubeObject,
  parseJson,
  type PemBlock,
  readPem,
  setOwn,
} from '@annex/machinery';
import type { PublishedAuthentication } from '@annex/process';
import { ensureObject, type ServerDeps } from '@annex/server';
import { follow } from '@annex/aggregation';

const prefix = '/registry/configmaps/kube-system/';
const name = 'extension-apiserver-authentication';
const key = `${prefix}${name}`;

/** Maintains an object until it is stopped. */
export interface Keeper {
  start(): Promise<void>;
  stop(): void;
}

/**
 * Maintains the ConfigMap `extension-apiserver-authentication`: the data that extension API servers need to trust the identities that the
 * front proxy sends. Replicas with other CAs add theirs; valid entries are never removed:
 * https://kubernetes.io/docs/tasks/extend-kubernetes/configure-aggregation-layer/#extension-apiserver-authenticates-the-request
 */
export function authenticationKeeper(deps: ServerDeps, own: PublishedAuthentication): Keeper {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let again = false;
  const run = async () => {
    try {
      while (again && !stopping.signal.aborted) {
        again = false;
        await publish(deps, own.data());
      }
    } catch (error) {
      deps.log.warn('the ConfigMap of authentication was not written', { error });
    } finally {
      running = undefined;
    }
  };
  const sync = (): Promise<void> => {
    again = true;
    return (running ??= run());
  };
  return {
    async start() {
      await sync();
      const end = own.onChange(() => void sync());
      stopping.signal.addEventListener('abort', end, { once: true });
      await follow(deps, prefix, stopping.signal, {
        reset: () => void sync(),
        event: (event) => void (event.key === key && sync()),
      });
    },
    stop: () => stopping.abort(),
  };
}

async function publish(deps: ServerDeps, own: Readonly<Record<string, string>>): Promise<void> {
  const { entry } = await deps.store.get(key);
  const found = entry === undefined ? undefined : parseJson(Buffer.from(entry.value).toString());
  const data = combined(dataOf(found), own, deps.clock.now());
  const metadata = { name, namespace: 'kube-system' };
  const object: KubeObject = { kind: 'ConfigMap', apiVersion: 'v1', metadata, data };
  await ensureObject(deps, { key, own: ['data'], object });
}

const dataOf = (object: unknown): Record<string, string> =>
  isObject(object) && isObject(object.data) ? (object.data as Record<string, string>) : {};

const bundles = ['client-ca-file', 'requestheader-client-ca-file'];

/** Merges the stored data with that of this server: every name and CA once, without expired CAs. */
function combined(
  there: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>>,
  now: number,
): Record<string, string> {
  const data: Record<string, string> = {};
  for (const field of Object.keys({ ...there, ...own })) {
    if (bundles.includes(field)) {
      const bundle = combinedBundle([getOwn(there, field), getOwn(own, field)], now);
      if (bundle !== '') setOwn(data, field, bundle);
    } else if (field.startsWith('requestheader-')) {
      const names = new Set([...namesOf(getOwn(there, field)), ...namesOf(getOwn(own, field))]);
      setOwn(data, field, JSON.stringify([...names]));
    }
  }
  return data;
}

function namesOf(text: string | undefined): string[] {
  try {
    const names: unknown = JSON.parse(text || '[]');
    return Array.isArray(names) ? names.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}

const slackMs = 5 * 60_000;

function combinedBundle(texts: readonly (string | undefined)[], now: number): string {
  const certificates = texts.flatMap((text) => readPem(text ?? '')).flatMap(parsed);
  const valid = certificates.filter(({ validToDate }) => validToDate.getTime() > now - slackMs);
  return [...new Set(valid.map(String))].join('');
}

function parsed({ type, bytes }: PemBlock): X509Certificate[] {
  if (type !== 'CERTIFICATE') return [];
  try {
    return [new X509Certificate(bytes)];
  } catch {
    return [];
  }
}
