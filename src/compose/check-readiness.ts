import { type Client, Status } from 'discord.js';
import type { Database } from '../../db/database.ts';
import type { Jobs } from '../bot/jobs/jobs.ts';
import type { Readiness } from '../bot/web/register-health.ts';

interface CheckedParts {
  readonly db: Database;
  readonly client: Client;
  readonly jobs: Jobs;
}

/** Checks each part that members depend on. */
export async function checkReadiness({ db, client, jobs }: CheckedParts): Promise<Readiness> {
  const database = await db.kysely
    .selectFrom('settings')
    .select('name')
    .limit(1)
    .execute()
    .then(() => true)
    .catch(() => false);
  return { database, discord: isConnected(client), media_api: jobs.ratesKnown };
}

/** Whether every shard that this process runs is connected. */
function isConnected(client: Client): boolean {
  return client.isReady() && client.ws.shards.every(({ status }) => status === Status.Ready);
}
