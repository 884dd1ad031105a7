import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Starts the tests of the whole program before the others of their project. They take longest, and one that starts last
 * would keep a single processor busy at the end.
 */
export class WholeFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isWhole = ({ moduleId, project }: TestSpecification): boolean =>
      relative(project.config.root, moduleId).startsWith('test/whole/');
    const groups = Map.groupBy(sorted, ({ project }) => project);
    return [...groups.values()].flatMap((group) =>
      group.sort((a, b) => Number(isWhole(b)) - Number(isWhole(a))),
    );
  }
}
