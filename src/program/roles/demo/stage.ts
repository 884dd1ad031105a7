import { join } from 'node:path';
import { Disposer } from '../../../base/disposer.ts';
import type { Logger } from '../../../base/log.ts';
import type { MicroUsd } from '../../../base/money.ts';
import { createMasquerade } from '../../../compose/create-masquerade.ts';
import type { StepEvent } from '../../../bot/jobs/run/worker.ts';
import type { FaceFinder } from '../../../media-server/engine/cpu/face-finder.ts';
import type { MediaServer } from '../../../media-server/server.ts';
import type { Masquerade, MasqueradeOptions } from '../../../compose/masquerade-options.ts';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { COMMAND_LIMIT } from '../sandbox.ts';

/** The running parts of the demo, all on this machine. */
export interface Stage extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly media: MediaServer;
  /** The bot that is currently running. */
  readonly bot: Masquerade;
  readonly finder: FaceFinder;
  /** Stops the bot and starts another one with the same data. */
  restartBot(): Promise<void>;
}

interface StageOptions {
  /** The folder for all files. */
  readonly dataDir: string;
  /** The monthly budget of every community. */
  readonly budget: MicroUsd;
  readonly log: Logger;
  readonly onStep?: (event: StepEvent) => void;
  /** The rate limit of the service's key. Default 60. */
  readonly requestsPerMinute?: number;
}

/** Starts a local Discord, the media server with its engine, and the bot. */
export async function setStage(options: StageOptions): Promise<Stage> {
  const { dataDir, budget, log, onStep, requestsPerMinute = 60 } = options;
  const { createCpuEngines } = await import('../../../media-server/engine/cpu/cpu-engines.ts');
  const { createFaceFinder } = await import('../../../media-server/engine/cpu/face-finder.ts');
  const { createMediaServer } = await import('../../../media-server/server.ts');
  const { createSandbox } = await import('../../../sandbox/sandbox.ts');
  const { trustCertificate } = await import('../../../sandbox/voice/trust-certificate.ts');
  const owned = new Disposer();
  try {
    const finder = owned.use(await createFaceFinder());
    const engines = owned.use(await createCpuEngines({ logger: log }));
    const media = owned.use(
      await createMediaServer({
        dataDir: join(dataDir, 'media-server'),
        engines,
        requestsPerMinute,
        logger: log,
      }),
    );
    const sandbox = owned.use(await createSandbox({ logger: log, commandLimit: COMMAND_LIMIT }));
    owned.use(trustCertificate(sandbox.caPem));
    const botOptions: MasqueradeOptions = {
      discord: { token: sandbox.token, apiUrl: sandbox.apiUrl },
      attachmentHosts: [sandbox.cdnHost],
      http: { port: 0 },
      mediaApi: {
        baseUrl: media.baseUrl,
        apiKey: media.apiKey,
        signingSecrets: [media.signingSecret],
        requestsPerMinute,
      },
      publicUrl: 'loopback',
      dataDir,
      defaultBudget: { limit: budget, period: 'month', timeZone: 'UTC' },
      logger: log,
      ...(onStep ? { onStep } : {}),
    };
    let bot = await createMasquerade(botOptions);
    owned.defer(() => bot[Symbol.asyncDispose]());
    return {
      sandbox,
      media,
      finder,
      get bot() {
        return bot;
      },
      async restartBot() {
        // The port stays the same, because earlier links and webhooks contain it.
        const port = Number(new URL(bot.webUrl ?? '').port);
        await bot[Symbol.asyncDispose]();
        bot = await createMasquerade({ ...botOptions, http: { port } });
      },
      [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
    };
  } catch (error) {
    await owned[Symbol.asyncDispose]();
    throw error;
  }
}
