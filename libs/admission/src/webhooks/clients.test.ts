import { expect, it } from 'vitest';
import { maxWebhookClients, WebhookClients } from './clients.ts';

it('one client more than maxWebhookClients replaces the one that was used longest ago', () => {
  const clients = new WebhookClients(
    () => ({ host: '127.0.0.1', port: 1 }),
    () => ({}),
  );
  const clientOf = (index: number) => clients.of({ url: `https://w${index}.example.com` });
  const made = Array.from({ length: maxWebhookClients }, (_, i) => clientOf(i));
  expect(made.map((client, i) => clientOf(i) === client)).not.toContain(false);
  clientOf(0);
  clientOf(maxWebhookClients);
  expect(clientOf(0)).toBe(made[0]);
  expect(clientOf(1)).not.toBe(made[1]);
});
