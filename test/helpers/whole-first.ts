import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * In each vitest project, starts the tests of the whole program before the others. They take longest; if one of them
 * started last, all processors but one would be idle at the end.
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
