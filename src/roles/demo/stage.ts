import { join } from 'node:path';
import { Disposer } from '../../base/disposer.ts';
import { type MicroUsd, parseUsd } from '../../base/money.ts';
import { createMasquerade } from '../../bot.ts';
import type { StepEvent } from '../../jobs/worker.ts';
import type { FaceFinder } from '../../media-server/engine/face-finder.ts';
import type { MediaServer } from '../../media-server/server.ts';
import type { Masquerade } from '../../options.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { RoleContext } from '../role.ts';

/** Everything the demo plays on, all of it real and on this machine. */
export interface Stage extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly media: MediaServer;
  readonly bot: Masquerade;
  readonly finder: FaceFinder;
}

/** What every community of the demo may spend. */
export const DEMO_BUDGET: MicroUsd = parseUsd('0.10');

/** Sets up a local Discord, the media service with its engine, and the bot; files go below `dataDir`. */
export async function setStage(
  { log }: RoleContext,
  dataDir: string,
  onStep: (event: StepEvent) => void,
): Promise<Stage> {
  const { createCpuPhotoSwapEngine } = await import('../../media-server/engine/cpu-photo-swap.ts');
  const { createFaceFinder } = await import('../../media-server/engine/face-finder.ts');
  const { createMediaServer } = await import('../../media-server/server.ts');
  const { createSandbox } = await import('../../sandbox/sandbox.ts');
  const owned = new Disposer();
  try {
    const finder = owned.use(await createFaceFinder());
    const engine = owned.use(await createCpuPhotoSwapEngine({ logger: log }));
    const media = owned.use(
      await createMediaServer({ dataDir: join(dataDir, 'media-server'), engine, logger: log }),
    );
    const sandbox = owned.use(await createSandbox({ logger: log }));
    const bot = owned.use(
      await createMasquerade({
        discord: { token: sandbox.token, apiUrl: sandbox.apiUrl },
        attachmentHosts: [sandbox.cdnHost],
        http: { port: 0 },
        mediaApi: {
          baseUrl: media.baseUrl,
          apiKey: media.apiKey,
          signingSecrets: [media.signingSecret],
        },
        publicUrl: 'loopback',
        dataDir,
        defaultBudget: { limit: DEMO_BUDGET, period: 'month', timeZone: 'UTC' },
        logger: log,
        onStep,
      }),
    );
    return { sandbox, media, bot, finder, [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose]() };
  } catch (error) {
    await owned[Symbol.asyncDispose]();
    throw error;
  }
}
