import type { KubeObject } from '@annex/machinery';
import { apiVersion, stored, toySchema } from '../typed-values/typed-testdata.ts';
import { applyPatch, type ApplyRequest } from './apply.ts';

/** Applies a Toy one second after the epoch, and returns it as stored. */
export const applyToy = (
  manager: string,
  live: KubeObject | undefined,
  applied: KubeObject,
  more: Partial<ApplyRequest> = {},
): KubeObject =>
  stored(
    applyPatch({
      schema: toySchema,
      apiVersion,
      kind: 'Toy',
      manager,
      live,
      applied,
      force: false,
      now: 1000,
      ...more,
    }),
  );
