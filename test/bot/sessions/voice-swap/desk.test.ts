import { expect, test } from 'vitest';
import { listVoiceConsents } from '../../../../db/queries/voice-consents.ts';
import { SessionError } from '../../../../src/bot/sessions/session-error.ts';
import { VoiceError } from '../../../../src/bot/sessions/voice-swap/voice-error.ts';
import { ADA, BEN, CLEO, HALL, by, nova, oak, useDesk, useStarted } from './use-desk.ts';
import type { Joined } from '../../../../src/bot/sessions/voice-swap/desk/joined.ts';

test('asks first, announces itself aloud, and then hears the members who agreed and nobody else', async () => {
  const { desk, clock, connector, lines, panels, statuses, sound, db } = await useDesk();

  const asked = await desk.start(by(ADA), { voiceId: nova.id, minutes: 10 });
  await clock.advance(1_000);
  const linesBefore = lines.all.length;
  const heardBefore = [...sound().everHeard];
  const sessionId = asked.kind === 'ask' ? asked.view.sessionId : '';
  const joined = await desk.agree(by(ADA), sessionId);
  await clock.advance(6_000);
  const [consent] = await listVoiceConsents(db.kysely, ADA, 10);

  expect(asked).toMatchObject({ kind: 'ask', text: { text: expect.stringContaining('media.example') } });
  expect([linesBefore, heardBefore]).toEqual([0, []]);
  expect(connector.channel.spoken).toHaveLength(3);
  expect(connector.channel.hushes).toBe(1);
  expect(statuses).toEqual([expect.stringContaining('Voice conversion is on')]);
  expect(joined).toMatchObject({ kind: 'joined', speaker: { voice: 'Nova', state: { kind: 'live' } } });
  expect(lines.last.request).toEqual({
    guildId: '3',
    channelId: HALL,
    userId: ADA,
    roleIds: [],
    voiceId: nova.id,
    minutes: 10,
  });
  expect([...sound().everHeard]).toEqual([ADA]);
  expect(consent).toMatchObject({
    guild_id: '3',
    channel_id: HALL,
    session_id: sessionId,
    text_version: 'voice-1 media.example',
    revoked_at_ms: null,
  });
  expect(panels.shown?.speakers.map(({ userId }) => userId)).toEqual([ADA]);
});

test('hears nobody before the notice has been spoken', async () => {
  const { desk, clock, lines, sound, connector } = await useDesk();
  const asked = await desk.start(by(ADA), { voiceId: nova.id, minutes: 10 });

  const agreeing = desk.agree(by(ADA), asked.kind === 'ask' ? asked.view.sessionId : '');
  await clock.advance(1);
  const spokenThen = connector.channel.spoken.length;
  const heardThen = [...sound().everHeard];
  await clock.advance(100);
  await agreeing;

  expect(spokenThen).toBeLessThan(3);
  expect(heardThen).toEqual([]);
  expect(lines.all).toHaveLength(1);
});

test('explains a refusal privately, even if the notice is still being spoken when the member agrees', async () => {
  const { desk, clock, lines } = await useDesk();
  lines.refusal = new SessionError('unpaid');
  const asked = await desk.start(by(ADA), { voiceId: nova.id, minutes: 10 });

  const agreeing = desk.agree(by(ADA), asked.kind === 'ask' ? asked.view.sessionId : '');
  await clock.advance(1_000);

  expect(await agreeing).toMatchObject({
    kind: 'joined',
    speaker: { state: { kind: 'over', problem: expect.stringContaining('used up') } },
  });
});

test('asks each member once per server', async () => {
  const { desk, clock } = await useStarted();
  await desk.stop(by(ADA));

  let again: Joined | undefined;
  void desk.start(by(ADA), { voiceId: oak.id, minutes: 1 }).then((joined) => (again = joined));
  const spoken = async (): Promise<Joined | undefined> => {
    await clock.advance(100);
    return again;
  };

  await expect.poll(spoken).toMatchObject({ kind: 'joined', speaker: { voice: 'Oak' } });
});

test('adds other members with the starter’s voice, or with their own choice', async () => {
  const { desk, lines, sessionId } = await useStarted();

  await desk.join(by(BEN));
  await desk.agree(by(BEN), sessionId);
  await desk.join(by(CLEO), { voiceId: null });
  await desk.agree(by(CLEO), sessionId);

  expect(lines.running.map(({ request }) => [request.userId, request.voiceId])).toEqual([
    [ADA, 'nova'],
    [BEN, 'nova'],
    [CLEO, null],
  ]);
});

test('passes only those members through unchanged who chose that themselves', async () => {
  const { desk } = await useDesk();
  await desk.start(by(ADA), { voiceId: null, minutes: 10 });

  await expect(desk.join(by(BEN))).rejects.toMatchObject({ code: 'no_voice' });
});

test('lets nobody agree for another member, or to a request that was not made to them', async () => {
  const { desk, sessionId } = await useStarted();

  await expect(desk.agree(by(BEN), sessionId)).rejects.toMatchObject({ code: 'outdated' });
});

test('changes a voice by a line that takes over from the other', async () => {
  const { desk, clock, lines, sound } = await useStarted();
  const first = lines.last;
  await clock.advance(2_000);

  await desk.join(by(ADA), { voiceId: oak.id });
  await clock.advance(10);

  expect(lines.all).toHaveLength(2);
  expect(first.closed?.reason).toBe('replaced');
  expect(sound().lines.get(ADA)).toBe(lines.last);
  expect((await desk.status('3'))?.speakers[0]).toMatchObject({ voice: 'Oak', state: { kind: 'live' } });
});

interface Wish {
  readonly userId?: string;
  readonly minutes?: number;
  readonly voiceId?: string;
}

test.each([
  ['outside of a voice channel', 'not_in_voice', { userId: '99' }],
  ['for no time', 'out_of_range', { minutes: 0 }],
  ['for too long', 'out_of_range', { minutes: 121 }],
  ['with an unknown voice', 'unknown_voice', { voiceId: 'gone' }],
])('does not start %s', async (_name, code, wish: Wish) => {
  const { userId = ADA, minutes = 10, voiceId = nova.id } = wish;
  const { desk, connector } = await useDesk();

  await expect(desk.start(by(userId), { voiceId, minutes })).rejects.toMatchObject({
    code,
    userMessage: expect.any(String),
  });
  expect(connector.endpoints).toEqual([]);
});

test('starts once in a server, wherever it is requested', async () => {
  const { desk, places } = await useStarted();

  await expect(desk.start(by(BEN), { voiceId: nova.id, minutes: 1 })).rejects.toMatchObject({
    code: 'already_on',
  });
  places.set(BEN, '51');
  await expect(desk.start(by(BEN), { voiceId: nova.id, minutes: 1 })).rejects.toMatchObject({
    code: 'elsewhere',
    userMessage: expect.stringContaining(`<#${HALL}>`),
  });
});

test('explains why a channel cannot be joined', async () => {
  const { desk, connector, panels } = await useDesk();
  connector.refusal = new VoiceError('full', 'Cannot join: full');

  await expect(desk.start(by(ADA), { voiceId: nova.id, minutes: 1 })).rejects.toMatchObject({ code: 'full' });
  expect(panels.shown).toBeUndefined();
});

test('does not start where nobody could see its panel', async () => {
  const { desk, connector, panels, settings, lines } = await useDesk();
  settings.hasStatus = false;
  panels.closedTo.add('4').add(HALL);

  await expect(desk.start(by(ADA), { voiceId: nova.id, minutes: 1 })).rejects.toMatchObject({
    code: 'undisclosed',
    userMessage: expect.stringContaining('send messages'),
  });
  expect(connector.channel.isLeft).toBe(true);
  expect(lines.all).toEqual([]);
});

test('posts the panel in the voice channel’s own chat if the other channel is not accessible', async () => {
  const { desk, panels, db } = await useDesk();
  panels.closedTo.add('4');

  await desk.start(by(ADA), { voiceId: nova.id, minutes: 1 });

  expect(panels.shown?.phase.kind).toBe('announcing');
  expect(await db.kysely.selectFrom('voice_panels').select('panel_channel_id').execute()).toEqual([
    { panel_channel_id: HALL },
  ]);
});

test('follows the rules of the server, for the voice channel too', async () => {
  const { desk, access, connector } = await useDesk();
  const admin = by('1', { isAdmin: true });
  await access.set(admin, { kind: 'channel', target: HALL, effect: 'deny' });

  const refused = await desk.start(by(ADA), { voiceId: nova.id, minutes: 1 });
  await access.clear(admin, { kind: 'channel', target: HALL });
  await access.set(admin, { kind: 'capability', target: 'voice_swap', effect: 'deny' });
  const again = await desk.start(by(ADA), { voiceId: nova.id, minutes: 1 });

  expect(refused).toMatchObject({ kind: 'refused', access: { rule: 'channel' } });
  expect(again).toMatchObject({ kind: 'refused', access: { rule: 'capability' } });
  expect(connector.endpoints).toEqual([]);
});

test('can be stopped by the starter and by moderators only', async () => {
  const { desk, lines } = await useStarted();

  await expect(desk.stop(by(BEN))).rejects.toMatchObject({ code: 'not_allowed' });
  expect(lines.running).toHaveLength(1);
  await desk.stop(by(BEN, { isVoiceModerator: true }));
  expect(lines.running).toEqual([]);
});

test('lets moderators remove a member for this session, and nobody else', async () => {
  const { desk } = await useStarted();

  await expect(desk.leave(by(BEN), ADA)).rejects.toMatchObject({ code: 'not_moderator' });
  expect(await desk.leave(by(BEN, { isVoiceModerator: true }), ADA)).toBe(true);
  await expect(desk.join(by(ADA), { voiceId: nova.id })).rejects.toMatchObject({ code: 'removed' });
});

test('limits how fast voices can be changed, since each change opens a line', async () => {
  const { desk, clock, lines } = await useStarted();
  await clock.advance(2_000);

  await desk.join(by(ADA), { voiceId: oak.id });

  await expect(desk.join(by(ADA), { voiceId: nova.id })).rejects.toMatchObject({ code: 'too_fast' });
  expect(lines.all).toHaveLength(2);
});

test('stops hearing a member within seconds after another process removes their data', async () => {
  const { clock, db, lines, sound } = await useStarted();

  await db.kysely.deleteFrom('voice_consents').where('user_id', '=', ADA).execute();
  await clock.advance(6_000);

  expect(lines.running).toEqual([]);
  expect(sound().lines.has(ADA)).toBe(false);
});
