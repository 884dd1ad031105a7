import type { JobView } from './job-view.ts';

export interface JobListQuery {
  readonly whose: 'own' | 'guild';
  readonly which: 'open' | 'ended';
  /** The page number. The first page is 0. */
  readonly page: number;
}

export interface JobPage extends JobListQuery {
  readonly jobs: readonly JobView[];
  readonly hasMore: boolean;
}
