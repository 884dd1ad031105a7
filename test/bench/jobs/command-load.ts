/**
 * Runs Discord, its members and the media service in a separate process from the measured bot. Members run commands at
 * a steady pace, whether or not earlier commands were acknowledged.
 */
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { createMediaServer } from '../../../src/media-server/server.ts';
import { createSandbox } from '../../../src/sandbox/sandbox.ts';
import type { SandboxChannel } from '../../../src/sandbox/script/sandbox-guild.ts';
import type { SandboxMember } from '../../../src/sandbox/script/sandbox-member.ts';
import { TestEngine, picture } from '../../media-server/test-engine.ts';
import { acknowledgedAfter } from '../acknowledged-after.ts';

export interface CommandLoad {
  readonly dataDir: string;
  readonly perSecond: number;
  readonly seconds: number;
}

/** The values that a bot needs to connect. */
export interface CommandPlace {
  readonly token: string;
  readonly apiUrl: string;
  readonly cdnHost: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly signingSecret: string;
}

export interface CommandResults {
  /** The time from each command to its acknowledgement; commands without an acknowledgement are left out. */
  readonly acknowledgedMs: readonly number[];
  readonly unanswered: number;
}

interface Place {
  readonly in: SandboxChannel;
  readonly member: SandboxMember;
}

const GUILDS = 20;

const load = JSON.parse(process.argv[2] ?? '') as CommandLoad;
await using sandbox = await createSandbox();
await using media = await createMediaServer({
  dataDir: load.dataDir,
  engines: { photoSwap: new TestEngine() },
  requestsPerMinute: 100_000,
});
const places = Array.from({ length: GUILDS }, (_, index): Place => {
  const guild = sandbox.addGuild(`Guild ${index}`);
  return { in: guild.addTextChannel('swaps'), member: guild.addMember('Ada') };
});
const image = { name: 'image.png', bytes: await picture(10, 64) };
const face = { name: 'face.png', bytes: await picture(200, 64) };
const { token, apiUrl, cdnHost } = sandbox;
const { baseUrl, apiKey, signingSecret } = media;
process.send?.({ token, apiUrl, cdnHost, baseUrl, apiKey, signingSecret } satisfies CommandPlace);
await once(process, 'message');

const commands: Promise<number | null>[] = [];
const startedMs = performance.now();
for (let command = 0; command < load.perSecond * load.seconds; command++) {
  await pause(Math.max(0, startedMs + (command * 1000) / load.perSecond - performance.now()));
  const place = places[command % GUILDS];
  if (place) commands.push(run(place));
}
const answered = await Promise.all(commands);
const acknowledgedMs = answered.filter((ms) => ms !== null);
process.send?.({
  acknowledgedMs,
  unanswered: answered.length - acknowledgedMs.length,
} satisfies CommandResults);
await once(process, 'message');

async function run(place: Place): Promise<number | null> {
  const use = await place.member.runs('/photo-swap', { in: place.in, options: { image, face } });
  return acknowledgedAfter(use);
}
