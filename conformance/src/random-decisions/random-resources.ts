import { apps } from './labels.ts';
import type { Random } from './random.ts';

/** What a container is, and what it requests in addition. */
export interface ContainerSetting {
  isInit?: boolean;
  isSidecar?: boolean;
  special?: Readonly<Record<string, string>>;
}

/** A container of a Pod. */
export interface Container {
  name: string;
  resources: object;
}

const cpus = ['100m', '250m', '500m', '1', '1500m', '0.3', '1e-1', '1234567u'];
const memories = ['64Mi', '256Mi', '512Mi', '1Gi', '2Gi', '129e6', '0.5Gi', '123456789', '700M'];

/** Returns a random container. */
export function container(
  random: Random,
  name: string,
  { isInit = false, isSidecar = false, special = {} }: ContainerSetting = {},
): Container {
  const requests = {
    ...random.maybe(0.7, () => ({ cpu: random.pick(cpus) })),
    ...random.maybe(0.7, () => ({ memory: random.pick(memories) })),
    ...random.maybe(0.1, () => ({ 'ephemeral-storage': random.pick(['512Mi', '2Gi']) })),
  };
  const extended = {
    ...random.maybe(0.1, () => ({ 'example.com/gpu': String(random.int(1, 2)) })),
    ...special,
  };
  // Huge pages need cpu or memory beside them.
  const hugepages = 'cpu' in requests ? random.maybe(0.06, () => ({ 'hugepages-2Mi': '4Mi' })) : {};
  const resources = random.chance(0.1)
    ? { limits: { cpu: '500m', memory: '256Mi', ...extended } }
    : { requests: { ...requests, ...extended, ...hugepages }, limits: { ...extended, ...hugepages } };
  const port = (name === 'c0' ? 8000 : 9000) + random.int(0, 2);
  return {
    name,
    ...{ image: `registry.example/${random.pick(apps)}:1`, resources },
    ...(isSidecar ? { restartPolicy: 'Always' } : {}),
    ...(isInit && !isSidecar
      ? {}
      : random.maybe(0.12, () => ({
          ports: [
            {
              containerPort: port,
              hostPort: port,
              ...random.maybe(0.3, () => ({ hostIP: random.pick(['10.0.0.1', '10.0.0.2']) })),
              ...random.maybe(0.3, () => ({ protocol: 'UDP' })),
            },
          ],
        }))),
  };
}
