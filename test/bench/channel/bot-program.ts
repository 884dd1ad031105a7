/** The process in which a benchmark bot runs. It follows the messages from its parent process. */
import { Client, GatewayIntentBits } from 'discord.js';
import type { BenchBot, BotPlace, BotReport, FromBot, ToBot } from './bot-wire.ts';
import { GuideBot } from './guide-bot.ts';
import { RoomBot } from './room-bot.ts';

let bot: BenchBot | undefined;
let before = { atMs: 0, cpu: process.cpuUsage() };

process.on('message', (message: ToBot) => {
  answer(message).then(
    (told) => process.send?.(told),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(1);
    },
  );
});

async function answer(message: ToBot): Promise<FromBot> {
  switch (message.kind) {
    case 'start': {
      const client = await login(message.place);
      const Way = message.way === 'room' ? RoomBot : GuideBot;
      bot = await Way.join(client, message.place);
      return { kind: 'started', userId: client.user.id };
    }
    case 'convert':
      await bot?.convert(message.userIds);
      return { kind: 'done' };
    case 'measure':
      globalThis.gc?.();
      bot?.measure();
      before = { atMs: performance.now(), cpu: process.cpuUsage() };
      return { kind: 'done' };
    case 'report':
      return { kind: 'report', report: report() };
  }
}

function report(): BotReport {
  const { user, system } = process.cpuUsage(before.cpu);
  const wallMs = performance.now() - before.atMs;
  globalThis.gc?.();
  if (!bot) throw new Error('The bot has not started');
  return {
    wallMs,
    userMs: user / 1000,
    systemMs: system / 1000,
    rssBytes: process.memoryUsage().rss,
    ...bot.figures,
  };
}

async function login({ apiUrl, token }: BotPlace): Promise<Client<true>> {
  const client = new Client({
    intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildVoiceStates],
    rest: { api: apiUrl },
  });
  const ready = new Promise<Client<true>>((resolve) => client.once('clientReady', resolve));
  await client.login(token);
  return ready;
}
