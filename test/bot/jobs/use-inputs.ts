import { readFile, readdir } from 'node:fs/promises';
import { listJobInputs } from '../../../db/queries/job-inputs.ts';
import type { JobInputRow } from '../../../db/schema/job-inputs.ts';
import type { InputRequest, InputSource } from '../../../src/bot/jobs/inputs/inputs.ts';
import { anOrigin } from '../../helpers/an-origin.ts';
import { type Reply, json } from '../../media-api/use-stub-api.ts';
import { type Pipeline, type PipelineOptions, usePipeline } from './use-pipeline.ts';
import type { JobRequest } from '../../../src/bot/jobs/job-request.ts';

/** The contents of the chat's files, by name. */
export type Files = Readonly<Record<string, Uint8Array>>;

export interface InputBench extends Pipeline {
  /** Runs a command with these inputs to its end. Returns the job's id. */
  command(name: string, changes: Partial<JobRequest>): Promise<string>;
  inputs(jobId: string): Promise<JobInputRow[]>;
  /** Returns the kept file of an input. */
  kept(jobId: string, field: string): Promise<Buffer>;
  /** Returns the names of the files that are still being downloaded. */
  arriving(): Promise<string[]>;
  /** Returns the bodies of all submissions so far. */
  submitted(): Record<string, unknown>[];
}

export async function useInputs(files: Files, options: PipelineOptions = {}): Promise<InputBench> {
  const byUrl = new Map(Object.entries(files).map(([name, bytes]) => [linkOf(name), bytes]));
  const pipeline = await usePipeline({ ...options, files: byUrl });
  let uploads = 0;
  pipeline.script.upload = [
    (request, response, read) => {
      uploads += 1;
      return json(200, { file_key: `api/u${uploads}`, url: 'http://127.0.0.1/u' })(request, response, read);
    },
  ];
  pipeline.script.submit = [submitAs('srv_1'), submitAs('srv_2'), submitAs('srv_3')];
  const inputs = (jobId: string): Promise<JobInputRow[]> => listJobInputs(pipeline.db.kysely, jobId);
  return {
    ...pipeline,
    inputs,
    async command(name, changes) {
      const outcome = await pipeline.jobs.intake.accept({
        ...anOrigin({ interactionId: `interaction_${name}`, receivedAtMs: pipeline.clock.now() }),
        capability: 'photo_swap',
        parameters: {},
        inputs: [],
        ...changes,
      });
      if (!outcome.accepted) throw new Error(`Refused: ${outcome.refusal.reason}`);
      await pipeline.jobs.intake.acknowledged(outcome.jobId, null);
      await pipeline.until(outcome.jobId, 'settled');
      return outcome.jobId;
    },
    async kept(jobId, field) {
      const input = (await inputs(jobId)).find((one) => one.field === field);
      return readFile(input?.path ?? 'nowhere');
    },
    arriving: () => readdir(`${pipeline.dataDir}/arrivals`),
    submitted: () =>
      pipeline.received
        .filter(({ url }) => /\/(face-swap|lip-sync|avatar)/.test(url))
        .map(({ body }) => JSON.parse(body.toString()) as Record<string, unknown>),
  };
}

export function submitAs(id: string): Reply {
  return json(200, { id, status: 'queued', status_url: `/api/v1/jobs/${id}` });
}

export function linkOf(name: string): string {
  return `https://cdn.example/${name}?hm=signed`;
}

export function fromChat(name: string): InputSource {
  return { from: 'chat', url: linkOf(name), sizeBytes: null };
}

export function image(field: string, source: InputSource): InputRequest {
  return { field: `${field}_key`, option: field, kind: 'image', source };
}
