import { group, textOf } from '../large-objects.ts';
import { media } from '../turn-row.ts';
import { core, get, maps, patch, post, range, remove, row, type RequestGroup } from './request-group.ts';

const bundle = Buffer.from(
  range(
    700,
    () => `-----BEGIN CERTIFICATE-----\n${`${'QUJD'.repeat(16)}\n`.repeat(15)}-----END CERTIFICATE-----\n`,
  ).join(''),
).toString('base64');
const services = '/apis/apiregistration.k8s.io/v1/apiservices';
const webhooks = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const classes = '/apis/resource.k8s.io/v1/deviceclasses';
const keyed = `/apis/${group}/v1/namespaces/large/keyed`;

const applied = (manager: string, from: number, count: number) =>
  patch(`${keyed}/further?fieldManager=${manager}&force=true`, media.apply, {
    apiVersion: `${group}/v1`,
    kind: 'Keyed',
    metadata: { name: 'further' },
    spec: { items: range(count, (i) => ({ name: `item-${from + i}`, size: i, note: textOf(20) })) },
  });
const selected = (values: number) => encodeURIComponent(`a in (${range(values, (i) => `v${i}`).join(',')})`);

export const further: RequestGroup = {
  name: 'further fields',
  rows: () => [
    row(
      'APIService, CA bundle of 1 MB',
      post(services, {
        metadata: { name: 'v1.further.example' },
        spec: {
          group: 'further.example',
          version: 'v1',
          groupPriorityMinimum: 1,
          versionPriority: 1,
          caBundle: bundle,
          service: { namespace: 'large', name: 'none' },
        },
      }),
      { waitMs: 500 },
    ),
    row('APIService, delete', remove(`${services}/v1.further.example`), { waitMs: 500 }),
    row(
      'webhook, CA bundle of 1 MB',
      post(webhooks, {
        metadata: { name: 'further' },
        webhooks: [
          {
            name: 'w.a.example',
            clientConfig: { url: 'https://127.0.0.1:1/', caBundle: bundle },
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
          },
        ],
      }),
      { after: [remove(`${webhooks}/further`)] },
    ),
    row(
      'DeviceClass, 32 selectors of 10 kB',
      post(classes, {
        metadata: { name: 'further.example' },
        spec: {
          selectors: range(32, () => ({
            cel: { expression: range(230, (i) => `device.driver != 'driver-${i}.example.com'`).join(' && ') },
          })),
        },
      }),
      { waitMs: 500 },
    ),
    row('DeviceClass, delete', remove(`${classes}/further.example`)),
    row('4,000 keyed items', applied('a', 0, 4000)),
    row('a second manager', applied('b', 2000, 4000)),
    row('a third manager', applied('c', 0, 6000)),
    row('the first one again', applied('a', 3000, 4000)),
    row('keyed, delete', remove(`${keyed}/further`)),
    row(
      'watch with 7,000 values',
      get(
        `${maps}?watch=1&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&labelSelector=${selected(7000)}`,
      ),
      { watched: 100 },
    ),
    row('list with 7,000 values', get(`${core}/pods?labelSelector=${selected(7000)}`)),
    row('deletion with 7,000 values', remove(`${maps}?labelSelector=${selected(7000)}`)),
  ],
};
