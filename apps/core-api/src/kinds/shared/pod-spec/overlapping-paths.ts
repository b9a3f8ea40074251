import { isObject, type JsonObject } from '@annex/machinery';
import { childOf, objectsOf } from '../checks.ts';

/** A file of a volume, and the part of the volume that writes it. */
interface File {
  path: string;
  source: string;
}

/** Returns warnings about files of a volume that have the same path, or the path of a folder of another file. */
export function overlapWarnings(volumes: unknown): string[] {
  const warnings: string[] = [];
  for (const volume of objectsOf(volumes)) {
    warnings.push(...ofVolume(volume));
    if (warnings.length >= maxPathWarnings) break;
  }
  return warnings.slice(0, maxPathWarnings);
}

/** The maximum number of warnings about the files of a pod. kube-apiserver has no limit. */
export const maxPathWarnings = 1000;

function ofVolume(volume: JsonObject): string[] {
  const { configMap, secret, downwardAPI, projected } = volume;
  const named = (what: string, name: unknown) => `${what} ${JSON.stringify(name ?? '')}`;
  const warn = (what: string, files: readonly File[]) =>
    overlaps(files).map(
      (text) => `volume ${JSON.stringify(volume.name ?? '')} (${what}): overlapping paths: ${text}`,
    );
  return [
    ...(isObject(configMap) ? warn(named('ConfigMap', configMap.name), files(configMap, '')) : []),
    ...(isObject(secret) ? warn(named('Secret', secret.secretName), files(secret, '')) : []),
    ...(isObject(downwardAPI) ? warn('DownwardAPI', files(downwardAPI, '')) : []),
    ...objectsOf(childOf({ projected }, 'projected').sources)
      .filter((source) => !Object.values(source).some(isObject))
      .map(() => `volume ${JSON.stringify(volume.name ?? '')} (Projected) has no sources provided`),
    ...warn('Projected', objectsOf(childOf({ projected }, 'projected').sources).flatMap(projectedFiles)),
  ];
}

const files = ({ items }: JsonObject, source: string): File[] =>
  objectsOf(items).map(({ path }) => ({ path: String(path ?? ''), source }));

function projectedFiles(projection: JsonObject): File[] {
  const { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle } = projection;
  const one = (path: unknown, source: string): File[] => [{ path: String(path ?? ''), source }];
  if (isObject(configMap)) return files(configMap, `ConfigMap ${JSON.stringify(configMap.name ?? '')}`);
  if (isObject(secret)) return files(secret, `Secret ${JSON.stringify(secret.name ?? '')}`);
  if (isObject(downwardAPI)) return files(downwardAPI, 'DownwardAPI');
  if (isObject(serviceAccountToken)) return one(serviceAccountToken.path, 'ServiceAccountToken');
  if (!isObject(clusterTrustBundle)) return [];
  const { name, signerName, path } = clusterTrustBundle;
  return one(path, `ClusterTrustBundle ${JSON.stringify(name ?? signerName ?? '')}`);
}

/** The maximum number of files of a volume that are compared, each with all before it. kube-apiserver has no limit. */
export const maxComparedPaths = 100;

function overlaps(all: readonly File[]): string[] {
  const found: string[] = [];
  const seen: File[] = [];
  for (const { path, source } of all.slice(0, maxComparedPaths)) {
    const file = { path: withoutSlashes(path), source };
    if (file.path === '') continue;
    for (const other of seen)
      if (isOverlap(file.path, other.path)) found.push(`${shown(file)} with ${shown(other)}`);
    seen.push(file);
  }
  return found;
}

function withoutSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}

const isOverlap = (path: string, other: string): boolean =>
  `${path}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${path}/`);

const shown = ({ path, source }: File): string =>
  source === '' ? JSON.stringify(path) : `${JSON.stringify(path)} (${source})`;
