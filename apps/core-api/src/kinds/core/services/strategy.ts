import { isIPv6 } from 'node:net';
import type { RequestContext } from '@annex/kinds';
import {
  fieldErrors,
  FieldPath,
  internalError,
  invalid,
  isEmptyObject,
  type KubeObject,
  nameIsDnsLabel,
  unclassified,
} from '@annex/machinery';
import type { ServerDeps } from '@annex/server';
import { StoreError } from '@annex/storage';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { AllocationError, ClusterIps } from './cluster-ips.ts';
import type { IpRange } from './ip-range.ts';
import { NodePorts, type PortRequest } from './node-ports.ts';
import {
  dropForType,
  isHeadless,
  keepAllocated,
  linkClusterIps,
  needsClusterIp,
  needsHealthCheckPort,
  needsNodePort,
  serviceSpec,
  type ServiceSpec,
} from './spec.ts';

const path = FieldPath.of('spec');
const refuse = (service: KubeObject, errors: ReturnType<typeof fieldErrors.invalid>[]) =>
  invalid({ group: '', kind: 'Service' }, service.metadata.name ?? '', errors);

/** Allocates cluster addresses and node ports when a Service is stored, and releases them when it is deleted. */
export function serviceStrategy(deps: ServerDeps, range: IpRange): BuiltinKind['strategy'] {
  const addresses = new ClusterIps(deps, range);
  const ports = new NodePorts(deps);
  return {
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: true,
    validateName: nameIsDnsLabel,
    metaChecks: { asUpdate: 1, asWhole: 0, standardFinalizers: true },
    returnsDeleted: true,
    prepareForCreate(service) {
      linkClusterIps(serviceSpec(service));
    },
    prepareForUpdate(service, old) {
      const [spec, before] = [serviceSpec(service), serviceSpec(old)];
      keepAllocated(spec, before);
      linkClusterIps(spec, before);
      dropForType(spec, before);
    },
    async validatingAdmission(service, old, request) {
      initFamilies(service, range);
      await allocateAddresses(service, addresses, isDryRun(request));
      await allocatePorts(service, old, ports, isDryRun(request));
    },
    async afterDelete(service) {
      await addresses.release(service);
      await ports.release(service);
      await deleteEndpoints(deps, service);
    },
  };
}

const isDryRun = (request: RequestContext) => request.query.getAll('dryRun').includes('All');

/** Sets the address families that a Service does not set. This server has one range, so it has one family. */
function initFamilies(service: KubeObject, { family }: IpRange): void {
  const spec = serviceSpec(service);
  if (spec.type === 'ExternalName') return;
  const selectorless = isHeadless(spec) && isEmptyObject(spec.selector ?? {});
  spec.ipFamilyPolicy ??= selectorless ? 'RequireDualStack' : 'SingleStack';
  spec.ipFamilies ??= isHeadless(spec)
    ? []
    : (spec.clusterIPs ?? []).map((ip) => (isIPv6(ip) ? 'IPv6' : 'IPv4'));
  if (spec.ipFamilies.length === 0) spec.ipFamilies = [family];
  if (selectorless) {
    // Endpoints that clients write may be of both families.
    const other = spec.ipFamilies[0] === 'IPv4' ? 'IPv6' : 'IPv4';
    if (spec.ipFamilyPolicy !== 'SingleStack' && spec.ipFamilies.length === 1) spec.ipFamilies.push(other);
    return;
  }
  const errors = familyErrors(spec, family);
  if (errors.length > 0) throw refuse(service, errors);
}

function familyErrors(spec: ServiceSpec, family: string) {
  const errors = [];
  const at = path.child('ipFamilyPolicy');
  if (spec.ipFamilyPolicy === 'SingleStack' && (spec.ipFamilies?.length ?? 0) > 1) {
    const text = "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified";
    errors.push(fieldErrors.invalid(at, spec.ipFamilyPolicy, text));
  }
  if (spec.ipFamilyPolicy === 'RequireDualStack') {
    const text = 'this cluster is not configured for dual-stack services';
    errors.push(fieldErrors.invalid(at, spec.ipFamilyPolicy, text));
  }
  spec.ipFamilies?.forEach((requested, index) => {
    if (requested === family) return;
    errors.push(
      fieldErrors.invalid(path.child('ipFamilies').index(index), requested, 'not configured on this cluster'),
    );
  });
  return errors;
}

async function allocateAddresses(service: KubeObject, addresses: ClusterIps, dryRun: boolean): Promise<void> {
  const spec = serviceSpec(service);
  if (!needsClusterIp(spec) || isHeadless(spec)) return;
  const requested = spec.clusterIPs?.[0];
  try {
    const address = requested ?? (await addresses.allocateNext(service, dryRun));
    if (requested !== undefined) await addresses.allocate(requested, service, dryRun);
    spec.clusterIP = address;
    spec.clusterIPs = [address];
  } catch (error) {
    if (!(error instanceof AllocationError)) throw error;
    if (requested === undefined) {
      throw internalError(
        `failed to allocate a serviceIP for Service ${JSON.stringify(service.metadata.name)}: ${error.message}`,
      );
    }
    const text = `failed to allocate IP ${requested}: ${error.message}`;
    throw refuse(service, [fieldErrors.invalid(path.child('clusterIPs'), spec.clusterIPs, text)]);
  }
}

async function allocatePorts(
  service: KubeObject,
  old: KubeObject | undefined,
  ports: NodePorts,
  dryRun: boolean,
): Promise<void> {
  const spec = serviceSpec(service);
  if (!needsNodePort(spec) && !needsHealthCheckPort(spec)) return;
  const before = old === undefined ? undefined : serviceSpec(old);
  const own = new Set((before?.ports ?? []).map((port) => port.nodePort));
  const request = { service, taken: await ports.taken(), dryRun };
  for (const [index, port] of needsNodePort(spec) ? (spec.ports ?? []).entries() : []) {
    if (port.nodePort && own.has(port.nodePort)) continue;
    try {
      if (port.nodePort) await ports.allocate(port.nodePort, request);
      else port.nodePort = await ports.allocateNext(request);
    } catch (error) {
      if (!(error instanceof AllocationError)) throw error;
      const at = path.child('ports').index(index).child('nodePort');
      throw refuse(service, [fieldErrors.invalid(at, port.nodePort ?? 0, error.message)]);
    }
  }
  if (!needsHealthCheckPort(spec) || spec.healthCheckNodePort === (before?.healthCheckNodePort ?? 0)) return;
  await allocateHealthCheckPort(spec, ports, request);
}

async function allocateHealthCheckPort(
  spec: ServiceSpec,
  ports: NodePorts,
  request: PortRequest,
): Promise<void> {
  const requested = spec.healthCheckNodePort;
  try {
    if (requested) await ports.allocate(requested, request);
    else spec.healthCheckNodePort = await ports.allocateNext(request);
  } catch (error) {
    if (!(error instanceof AllocationError)) throw error;
    throw unclassified(`failed to allocate requested HealthCheck NodePort ${requested}: ${error.message}`);
  }
}

/** Deletes the Endpoints of a deleted Service, so that a new Service of the same name does not get them. */
async function deleteEndpoints(deps: ServerDeps, { metadata }: KubeObject): Promise<void> {
  const key = `/registry/services/endpoints/${metadata.namespace}/${metadata.name}`;
  await deps.store.delete(key).catch((error: unknown) => {
    if (!(error instanceof StoreError && error.code === 'notFound')) throw error;
  });
}
