export { createObjectStorage, type ObjectStorage, type ObjectStorageDeps } from './app.ts';
export { type ObjectStorageConfig, objectStorageConflicts, objectStorageOptions } from './options.ts';
export { objectStorageProgram, runObjectStorage } from './run.ts';
