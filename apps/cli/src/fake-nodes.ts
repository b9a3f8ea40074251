import { createFakeNodes } from '@annex/fake-nodes';
import type { Part } from '@annex/runtime';
import { clientPart, type ClientPartOptions } from './client-part.ts';

/** Runs fake nodes as clients of the server in the same process. Invalid files fail the start. */
export const fakeNodesPart = (options: ClientPartOptions): Part =>
  clientPart(options, {
    name: 'fake-nodes',
    user: 'annex:fake-nodes',
    hasRoles: true,
    isSelected: options.config.fakeNodes !== '',
    create: (client) => createFakeNodes(options.deps, options.config, client),
  });
