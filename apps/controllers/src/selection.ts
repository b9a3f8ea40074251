import { optionGroup, type ConflictCheck, type OptionsTable } from '@annex/runtime';
import { type ControllerRow, controllerRows } from './table.ts';

/** The names that `--controllers` accepts. */
export const controllerNames: readonly string[] = controllerRows.map(({ name }) => name);

/** Returns the errors in the value of `--controllers`. */
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
 * Returns the controllers that a list selects, in kube-controller-manager's form: '*' for all, 'name', '-name'. The first entry about a
 * controller applies; a list without '*' runs only the named ones.
 */
export function selectControllers(selectors: readonly string[]): ControllerRow[] {
  return controllerRows.filter(({ name, alias }) => {
    const said = selectors.find((selector) => [name, alias].includes(selector.replace(/^-/, '')));
    return said === undefined ? selectors.includes('*') : !said.startsWith('-');
  });
}

/** The controllers to run. */
export interface SelectionConfig {
  controllers: readonly string[];
}

/** kube-controller-manager's option with that name. */
export const selectionOptions: OptionsTable<SelectionConfig> = optionGroup('Controllers', {
  controllers: {
    flag: 'controllers',
    type: 'list',
    default: ['*'],
    help: "Controllers to run, in kube-controller-manager's form: '*' for all, 'name', '-name'; empty for none.",
  },
});

/** Rejects unknown controller names. */
export const selectionConflicts: ConflictCheck<SelectionConfig> = ({ controllers }) =>
  controllerErrors(controllers).map((error) => `--controllers: ${error}`);
