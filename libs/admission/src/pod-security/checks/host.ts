import { type Container, containersOf, type Handler } from '../pod.ts';
import { type CheckPod, named, plural, quoted, sortedSet } from './check.ts';

export const hostNamespaces: CheckPod = ({ spec }) => {
  const fields = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((field) => spec[field] === true);
  if (fields.length === 0) return undefined;
  return { reason: 'host namespaces', detail: fields.map((field) => `${field}=true`).join(', ') };
};

export const hostPathVolumes: CheckPod = ({ spec }) => {
  const names = (spec.volumes ?? []).filter(({ hostPath }) => hostPath).map(({ name }) => String(name));
  return names.length === 0
    ? undefined
    : { reason: 'hostPath volumes', detail: `${plural('volume', names.length)} ${quoted(names)}` };
};

export const hostPorts: CheckPod = ({ spec }) => {
  const ports = containersOf(spec).flatMap(({ name, ports }) =>
    (ports ?? [])
      .filter(({ hostPort }) => hostPort)
      .map(({ hostPort }) => ({ name, port: String(hostPort) })),
  );
  if (ports.length === 0) return undefined;
  // An invalid pod can have two containers with one name.
  const names = containersOf(spec)
    .filter((container) => (container.ports ?? []).some(({ hostPort }) => hostPort))
    .map(({ name }) => name);
  const all = sortedSet(ports.map(({ port }) => port));
  return {
    reason: 'hostPort',
    detail: `${named('container', names)} ${uses(names)} ${plural('hostPort', all.length)} ${all.join(', ')}`,
  };
};

export const hostHandlers: CheckPod = ({ spec }) => {
  const found = containersOf(spec).map((container) => ({
    name: container.name,
    hosts: handlersOf(container).flatMap(({ httpGet, tcpSocket }) =>
      [httpGet?.host, tcpSocket?.host].filter((host) => host !== undefined && host !== ''),
    ) as string[],
  }));
  const names = sortedSet(found.filter(({ hosts }) => hosts.length > 0).map(({ name }) => name));
  if (names.length === 0) return undefined;
  const hosts = sortedSet(found.flatMap((one) => one.hosts));
  const what = plural('probe or lifecycle host', hosts.length);
  return {
    reason: 'probe or lifecycle host',
    detail: `${named('container', names)} ${uses(names)} ${what} ${quoted(hosts)}`,
  };
};

const uses = (names: readonly string[]): string => (names.length === 1 ? 'uses' : 'use');

const handlersOf = ({ livenessProbe, readinessProbe, startupProbe, lifecycle }: Container): Handler[] =>
  [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop].filter(
    (handler) => handler !== undefined,
  );
