import { type AcknowledgeLoadBench, benchAcknowledgeLoad } from './jobs/acknowledge-load.ts';
import { type JobMemoryBench, benchJobMemory } from './jobs/job-memory.ts';
import { type StepCostBench, benchStepCost } from './jobs/step-cost.ts';
import { type WebhookIntakeBench, benchWebhookIntake } from './jobs/webhook-intake.ts';

type JobsBench = AcknowledgeLoadBench | JobMemoryBench | StepCostBench | WebhookIntakeBench;

/** Measures the pipeline under load, one benchmark after the other; `--short` does a tenth of the work. */
export async function benchJobs(isShort: boolean): Promise<readonly JobsBench[]> {
  const share = isShort ? 0.1 : 1;
  return [
    await benchAcknowledgeLoad(20 * share),
    await benchWebhookIntake(30_000 * share),
    await benchStepCost(2_000 * share),
    await benchJobMemory(5_000 * share),
  ];
}
