import { traceAdmission } from '@annex/kinds';
import type { Authorizer } from '@annex/auth';
import type { Counter, Histogram, Logger } from '@annex/runtime';
import type { AdmissionAttributes, VersionedObjects } from '@annex/server';
import { isExempt } from '../exempt.ts';
import type { AdmissionHost } from '../host.ts';
import type { FindNamespace } from '../selectors.ts';
import { CallError, callWebhook, failureOf } from './call.ts';
import { WebhookClients } from './clients.ts';
import { anonymous, type CredentialsFor } from './credentials.ts';
import { type WebhookResource, type WebhookSource, webhookSource } from './configurations.ts';
import { type Invocation, invocationOf } from './invocation.ts';
import type { ReviewResponse } from './review.ts';
import type { Webhook } from './webhook.ts';

/**
 * The common part of both webhook plugins: finds the webhooks of a request, calls them, and records metrics.
 */
export class WebhookCaller {
  readonly #mutating: boolean;
  readonly #clients: WebhookClients;
  readonly #webhooks: WebhookSource;
  readonly #find: FindNamespace;
  readonly #authorizer: Authorizer;
  readonly #log: Logger;
  readonly #duration: Histogram<'name' | 'type' | 'operation' | 'rejected'>;
  readonly #failedOpen: Counter<'name' | 'type'>;

  constructor(
    host: AdmissionHost,
    resource: WebhookResource,
    authorizer: Authorizer,
    credentials: CredentialsFor = anonymous,
  ) {
    this.#authorizer = authorizer;
    this.#mutating = resource === 'mutatingwebhookconfigurations';
    this.#clients = new WebhookClients(host.resolveService, credentials, host.egress);
    this.#webhooks = webhookSource(host, resource);
    this.#find = host.findNamespace;
    this.#log = host.log;
    this.#duration = host.metrics.histogram(
      'apiserver_admission_webhook_admission_duration_seconds',
      'Duration of webhook calls in seconds.',
      ['name', 'type', 'operation', 'rejected'],
      [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25],
    );
    this.#failedOpen = host.metrics.counter(
      'apiserver_admission_webhook_fail_open_count',
      'Webhook calls that failed and were ignored.',
      ['name', 'type'],
    );
  }

  /** True if it is certain that there is no webhook. */
  get isIdle(): boolean {
    return this.#webhooks.isEmpty();
  }

  /** Returns all webhooks in order; none for a request that is exempt from webhooks. */
  async webhooks(attributes: AdmissionAttributes): Promise<readonly Webhook[]> {
    return isExempt(attributes) ? [] : await this.#webhooks.all();
  }

  invocation(webhook: Webhook, attributes: AdmissionAttributes): Promise<Invocation | undefined> {
    return invocationOf(webhook, attributes, this.#find, this.#authorizer);
  }

  /**
   * Calls a webhook. Returns `undefined` if it failed and its failurePolicy is Ignore. Throws StatusError if
   * the request is denied.
   */
  async call(
    invocation: Invocation,
    attributes: AdmissionAttributes,
    objects: VersionedObjects,
  ): Promise<ReviewResponse | undefined> {
    const { name } = invocation.webhook.spec;
    const type = this.#mutating ? 'admit' : 'validating';
    const began = performance.now();
    let rejected = false;
    let outcome = 'passed';
    try {
      return await callWebhook(this.#clients, invocation, attributes, objects, this.#mutating);
    } catch (error) {
      const refusal = failureOf(invocation, error);
      if (error instanceof CallError) this.#log.warn('a webhook failed', { webhook: name, error });
      rejected = refusal !== undefined;
      outcome = rejected ? 'refused' : `failed, ignored by its failurePolicy: ${(error as Error).message}`;
      if (rejected) throw refusal;
      this.#failedOpen.inc({ name, type });
      return undefined;
    } finally {
      const seconds = (performance.now() - began) / 1000;
      const { operation } = attributes;
      this.#duration.observe({ name, type, operation, rejected: String(rejected) }, seconds);
      traceAdmission(attributes.request.trace, { plugin: type, name, ms: seconds * 1000, outcome });
    }
  }
}
