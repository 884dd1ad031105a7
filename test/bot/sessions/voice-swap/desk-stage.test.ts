import { expect, test } from 'vitest';
import { ADA, type Desk, DORA, HALL, STAGE, by, nova, useDesk } from './use-desk.ts';

const moderator = by(ADA, { isVoiceModerator: true });

/** Creates a desk where Ada speaks in the hall and is heard on the stage, where Dora listens. */
async function useStage(): Promise<Desk> {
  const place = await useDesk({ hasStage: true });
  const { desk, clock } = place;
  const asked = await desk.start(moderator, { voiceId: nova.id, minutes: 10, stageChannelId: STAGE });
  const agreeing = desk.agree(moderator, asked.kind === 'ask' ? asked.view.sessionId : '');
  await clock.advance(500);
  await agreeing;
  return place;
}

test('listens in one channel and shows its panel in both', async () => {
  const { connector, stageConnector, lines, panels, statuses } = await useStage();

  expect(connector.channel.channelId).toBe(HALL);
  expect(stageConnector.channel.channelId).toBe(STAGE);
  expect(connector.channel.spoken).toHaveLength(3);
  expect(stageConnector.channel.spoken).toHaveLength(3);
  expect(statuses).toHaveLength(2);
  expect(panels.shown).toMatchObject({ channelId: HALL, stageChannelId: STAGE });
  expect(lines.running).toHaveLength(1);
});

test('closes the paid line at once when the last listener leaves, and opens another one for the next listener', async () => {
  const { stageConnector, lines, sound, clock } = await useStage();
  const first = lines.last;

  stageConnector.channel.leaves(DORA);
  sound().speaks(ADA);
  await clock.advance(1_000);
  const unheard = [first.closed?.reason, lines.running.length];
  stageConnector.channel.enters(DORA);
  sound().speaks(ADA);
  await clock.advance(10);

  expect(unheard).toEqual(['left', 0]);
  expect(lines.running).toHaveLength(1);
});

test('ends everything when either bot user is disconnected', async () => {
  const { connector, stageConnector, lines, clock } = await useStage();

  stageConnector.channel.tell({ kind: 'ended', reason: 'disconnected' });
  await clock.advance(1_000);

  expect(lines.last.closed?.reason).toBe('channel_lost');
  expect(connector.channel.isLeft).toBe(true);
  expect(stageConnector.channel.isLeft).toBe(true);
});

test('continues only when both connections are restored', async () => {
  const { connector, stageConnector, lines, clock } = await useStage();
  for (const { channel } of [connector, stageConnector]) channel.tell({ kind: 'interrupted' });

  connector.channel.tell({ kind: 'restored' });
  await clock.advance(100);
  const half = lines.running.length;
  stageConnector.channel.tell({ kind: 'restored' });
  await clock.advance(100);

  expect(half).toBe(0);
  expect(lines.running).toHaveLength(1);
});

test('leaves one channel if the other cannot be joined', async () => {
  const { desk, connector, stageConnector } = await useDesk({ hasStage: true });
  stageConnector.refusal = new Error('The channel cannot be joined');

  await expect(
    desk.start(moderator, { voiceId: nova.id, minutes: 1, stageChannelId: STAGE }),
  ).rejects.toMatchObject({ code: 'unreachable' });
  expect(connector.channel.isLeft).toBe(true);
});

test('speaks in another channel for moderators only, with a second bot user, and not in the one where it listens', async () => {
  const { desk } = await useDesk({ hasStage: true });
  const alone = await useDesk();
  const wish = { voiceId: nova.id, minutes: 1 };

  await expect(desk.start(by(ADA), { ...wish, stageChannelId: STAGE })).rejects.toMatchObject({
    code: 'not_moderator',
  });
  await expect(desk.start(moderator, { ...wish, stageChannelId: HALL })).rejects.toMatchObject({
    code: 'same_stage',
  });
  await expect(alone.desk.start(moderator, { ...wish, stageChannelId: STAGE })).rejects.toMatchObject({
    code: 'no_stage',
  });
});
