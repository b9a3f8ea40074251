export {
  type Controllers,
  type ControllersConfig,
  type ControllersDeps,
  createControllers,
} from './controllers.ts';
export type { Leadership } from '@annex/client';
export { type SelectionConfig, selectionConflicts, selectionOptions } from './selection.ts';
export { type ElectionConfig, electionConflicts, electionOptions, leadershipOf } from './election.ts';
export { controllersOptions } from './options.ts';
export { runControllers } from './run.ts';
