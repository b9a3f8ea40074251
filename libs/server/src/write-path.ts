import type { ServerDeps } from './app.ts';
import type { AdmissionChain } from './admission/chain.ts';
import type { KindRegistry } from '@annex/kinds';
import type { Step } from './step.ts';
import { validatingAdmission, authorizeContent, mutatingAdmission } from './write/admission.ts';
import { applyDefaults } from './write/apply-defaults.ts';
import { checkPreconditions } from './write/check-preconditions.ts';
import type { WriteContext } from './write/context.ts';
import { decode } from './write/decode.ts';
import { encode } from './write/encode.ts';
import { merge } from './write/merge.ts';
import { prepare } from './write/prepare.ts';
import { readCurrent } from './write/read-current.ts';
import { retryOnConflict } from './write/retry-on-conflict.ts';
import { store } from './write/store.ts';
import { trackFields } from './write/track-fields.ts';
import { validate } from './write/validate.ts';
import { writeThrough } from './write/write-through.ts';

/** Returns the write path: the order below is the order of execution. */
export const writeSteps = (
  deps: ServerDeps,
  admission: AdmissionChain,
  kinds: KindRegistry,
): Step<WriteContext>[] => [
  decode,
  retryOnConflict,
  readCurrent,
  merge(deps, kinds),
  applyDefaults,
  trackFields(deps, kinds),
  mutatingAdmission(admission),
  writeThrough,
  authorizeContent,
  checkPreconditions,
  prepare(deps),
  validate,
  validatingAdmission(admission),
  store,
  encode,
];
