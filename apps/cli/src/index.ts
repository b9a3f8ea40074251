export { type Annex, type StartOverrides, startAnnex } from './annex.ts';
export { type UpConfig, upConflicts, upOptions } from './up-options.ts';
