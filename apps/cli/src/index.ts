export { type Annex, type Given, startAnnex } from './annex.ts';
export { type UpConfig, upConflicts, upOptions } from './up-options.ts';
