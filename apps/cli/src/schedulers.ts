import type { Part } from '@annex/runtime';
import { type Attempts, createSchedulers } from '@annex/scheduler';
import { clientPart, type ClientPartOptions } from './client-part.ts';

/** Runs schedulers as clients of the server in the same process. Invalid files fail the start. */
export const schedulersPart = (options: ClientPartOptions, attempts: Attempts): Part =>
  clientPart(options, {
    name: 'schedulers',
    user: 'system:kube-scheduler',
    isSelected: options.config.schedulers.length > 0,
    create: (client) => createSchedulers(options.deps, options.config, client, attempts),
  });
