import { isObject, type JsonObject, type KubeObject, serviceUnavailable } from '@annex/machinery';
import type { ServerDeps } from '@annex/server';
import { objectsOf } from '../../shared/checks.ts';
import { readObject, statusOf, type TargetCheck } from '../shared/proxy.ts';

const podPrefix = '/registry/pods/';
/** Checks the endpoints of a Service, which are the pods that its Endpoints name for the port. */
export const checkEndpoints: TargetCheck = async (deps, service, request) => {
  const name = service.metadata.name ?? '';
  const port = portName(service, request.info.name);
  const key = `${request.info.namespace}/${name}`;
  const { subsets } = await readObject(deps, '/registry/services/endpoints/', key, name, request);
  const none = (what: string) =>
    serviceUnavailable(`no endpoints available for service ${JSON.stringify(what)}`);
  if (objectsOf(subsets).length === 0) throw none(name);
  const named = objectsOf(subsets).filter(({ ports }) =>
    objectsOf(ports).some((each) => (each.name ?? '') === port),
  );
  const pods = deps.feed.objects(podPrefix);
  await pods.waitFor();
  const ready = named
    .flatMap(({ addresses }) => objectsOf(addresses))
    .some((address) => isOfPod(address, pods));
  if (!ready) throw none(request.info.name);
};

/** True if the pod that the address refers to has this address. */
function isOfPod({ ip, targetRef }: JsonObject, pods: ReturnType<ServerDeps['feed']['objects']>): boolean {
  if (!isObject(targetRef)) return false;
  const pod = pods.get(`${podPrefix}${String(targetRef.namespace)}/${String(targetRef.name)}`)?.value.object;
  return pod !== undefined && objectsOf(statusOf(pod).podIPs).some((own) => own.ip === ip);
}

/** Returns the name of the port that a path names by its name or number. */
function portName({ spec, metadata }: KubeObject, target: string): string {
  const parts = target.split(':');
  const port = (parts.length < 3 ? parts[1] : parts[2]) ?? '';
  if (!/^[-+]?\d+$/.test(port)) return port;
  const found = objectsOf(isObject(spec) ? spec.ports : []).find((each) => each.port === Number(port));
  if (found === undefined) {
    const service = JSON.stringify(metadata.name ?? '');
    throw serviceUnavailable(`no service port ${Number(port)} found for service ${service}`);
  }
  return String(found.name ?? '');
}
