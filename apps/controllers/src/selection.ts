import type { ConflictCheck, OptionsTable } from '@annex/runtime';
import { type ControllerRow, controllerRows } from './table.ts';

/** The names that `--controllers` takes. */
export const controllerNames: readonly string[] = controllerRows.map(({ name }) => name);

/** What is wrong with the value of `--controllers`; empty where nothing is. */
export function controllerErrors(selectors: readonly string[]): string[] {
  const known = new Set(controllerRows.flatMap(({ name, alias }) => [name, alias]));
  return selectors
    .filter((selector) => selector !== '' && selector !== '*' && !known.has(selector.replace(/^-/, '')))
    .map(
      (selector) =>
        `${JSON.stringify(selector.replace(/^-/, ''))} is not in the list of known controllers: ${controllerNames.join(', ')}`,
    );
}

/**
 * The controllers that a list chooses, in kube-controller-manager's form: '*' for all, 'name', '-name'. What stands
 * first about a controller counts; a list without '*' runs only what it names.
 */
export function selectControllers(selectors: readonly string[]): ControllerRow[] {
  return controllerRows.filter(({ name, alias }) => {
    const said = selectors.find((selector) => [name, alias].includes(selector.replace(/^-/, '')));
    return said === undefined ? selectors.includes('*') : !said.startsWith('-');
  });
}

/** Which controllers are to run. */
export interface SelectionConfig {
  controllers: readonly string[];
}

/** kube-controller-manager's option with that name. */
export const selectionOptions: OptionsTable<SelectionConfig> = {
  controllers: {
    flag: 'controllers',
    type: 'list',
    default: ['*'],
    help: "Controllers to run, in kube-controller-manager's form: '*' for all, 'name', '-name'; empty for none.",
  },
};

/** Refuses names of no controller. */
export const selectionConflicts: ConflictCheck<SelectionConfig> = ({ controllers }) =>
  controllerErrors(controllers).map((error) => `--controllers: ${error}`);
