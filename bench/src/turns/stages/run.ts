import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { restore } from '../../growth/grown-server.ts';
import type { TurnSettings } from '../run.ts';
import { addTurns, newResult, type TurnResult } from '../turn-result.ts';
import { startTurnServer } from '../turn-server.ts';
import { startWebhooks } from '../webhook-server.ts';
import { definitionStages } from './definitions.ts';
import { deletionStages } from './deletions.ts';
import { objectStages } from './objects.ts';
import { secretStages } from './secrets.ts';
import { Site, type Stage } from './stage.ts';
import { upkeepStages } from './upkeep.ts';

const stages: readonly Stage[] = [
  ...objectStages,
  ...deletionStages,
  ...definitionStages,
  ...secretStages,
  ...upkeepStages,
];

const rowName = ({ name }: Stage): string => `turns of ${name}`;

export const stageNames: readonly string[] = stages.map(rowName);

/** Measures the longest turns of servers that have much in their stores. */
export async function runStages(
  { names, repetitions, profiles, program }: TurnSettings,
  report: (result: TurnResult) => void,
): Promise<TurnResult[]> {
  using webhooks = await startWebhooks();
  const results: TurnResult[] = [];
  for (const stage of stages.filter((stage) => names.has(rowName(stage)))) {
    const ofStage = stage.steps.map(({ name }): TurnResult => ({
      ...newResult(stage.name, name),
      above: [],
    }));
    for (let i = 0; i < repetitions; i++) {
      // Each server numbers its files.
      const folder = profiles && join(profiles, `${stage.name}, round ${i + 1}`);
      if (folder !== undefined) await mkdir(folder, { recursive: true });
      await using server = await startTurnServer({
        profiles: folder,
        program,
        ...(stage.args !== undefined && { args: stage.args }),
        fill: async (folder) => {
          if (stage.image !== undefined) await restore(stage.image(), '--data-dir', folder);
        },
      });
      using site = new Site(server, webhooks);
      for (const [index, step] of stage.steps.entries()) {
        if (step.prepare !== undefined) {
          await step.prepare(site);
          await server.longest();
        }
        await step.run(site);
        addTurns(ofStage[index] as TurnResult, await server.longest());
      }
    }
    for (const result of ofStage) report(result);
    results.push(...ofStage);
  }
  return results;
}
