import { expect, test } from 'vitest';
import { Access } from '../../../../src/bot/people/access/access.ts';
import { AccessError } from '../../../../src/bot/people/access/access-error.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { access as accessCommand } from '../../../../commands/access/access.ts';
import type { Place, SandboxMember } from '../../../../src/sandbox/script/sandbox-member.ts';
import type { MessageView } from '../../../../src/sandbox/script/message-view.ts';
import type { UseOfBot } from '../../../../src/sandbox/script/use-of-bot.ts';
import { anOrigin } from '../../../helpers/an-origin.ts';
import { useDatabase } from '../../../db/use-database.ts';
import { type Community, sample, useCommunity } from '../../../helpers/use-community.ts';

type Options = NonNullable<Parameters<SandboxMember['runs']>[1]['options']>;

/** Runs `/access` as the owner. Returns the private reply. */
async function rules(place: Community, subcommand: string, options: Options = {}): Promise<MessageView> {
  const { guild, general } = place;
  return (await guild.owner.runs(`/access ${subcommand}`, { in: general, options })).replied();
}

async function swap(who: SandboxMember, place: Place): Promise<MessageView> {
  return (await begin(who, place)).replyWhere(isResult);
}

/** Returns the private reply that refuses a member's command. */
async function refusal(who: SandboxMember, place: Place): Promise<MessageView> {
  const message = await (await begin(who, place)).followUpWhere(() => true);
  expect(message.flags.ephemeral).toBe(true);
  expect(message.text).toContain('Nothing was charged');
  return message;
}

async function begin(who: SandboxMember, place: Place): Promise<UseOfBot> {
  const image = await sample('portrait-man-dark-hair.jpg');
  return who.runs('/photo-swap', { in: place, options: { image, face: image } });
}

const isResult = (message: MessageView): boolean => message.attachments.length === 1;

test('allows everyone everything if no rules are set', async () => {
  const place = await useCommunity();

  expect((await rules(place, 'show')).text).toContain('- **Roles**: all\n- **Channels**: all');
  expect(isResult(await swap(place.ada, place.general))).toBe(true);
});

test('admits only allowed roles, and names them to other members', async () => {
  const place = await useCommunity();
  const director = place.guild.addRole('Director');

  const shown = await rules(place, 'allow', { role: director });
  const refused = await refusal(place.ada, place.general);
  expect(place.general.messages).toEqual([]);
  const { left, limit } = await place.bot.budget(place.guild.id);
  place.ada.hasRoles(director);

  expect(shown.flags.ephemeral).toBe(true);
  expect(shown.text).toContain(`**Roles**: only <@&${director.id}>`);
  expect(refused.text).toContain(`You need one of these roles: <@&${director.id}>.`);
  expect(refused.mentions).toEqual([]);
  expect(left).toBe(limit);
  expect(isResult(await swap(place.ada, place.general))).toBe(true);
});

test('blocks a role, a channel and a command until the block is removed', async () => {
  const place = await useCommunity();
  const guest = place.guild.addRole('Guest');
  place.ada.hasRoles(guest);
  const answers: Record<string, string> = {};
  const targets: [string, Options][] = [
    ['role', { role: guest }],
    ['channel', { channel: place.general }],
    ['capability', { capability: 'photo_swap' }],
  ];

  for (const [kind, target] of targets) {
    await rules(place, 'deny', target);
    answers[kind] = (await refusal(place.ada, place.general)).text;
    await rules(place, 'clear', target);
  }

  expect(answers['role']).toContain('One of your roles is shut out');
  expect(answers['channel']).toContain('Use it in another channel.');
  expect(answers['capability']).toContain('have switched this command off');
  expect(isResult(await swap(place.ada, place.general))).toBe(true);
});

test('allows a channel and directs members in other channels there', async () => {
  const place = await useCommunity();
  const studio = place.guild.addTextChannel('studio');

  await rules(place, 'allow', { channel: studio });

  expect((await refusal(place.ada, place.general)).text).toContain(`It may be used in <#${studio.id}>.`);
  expect(isResult(await swap(place.ada, studio))).toBe(true);
});

test('enforces a pause between two commands of a member, says when it ends, and delays nobody else', async () => {
  const place = await useCommunity();
  const ben = place.guild.addMember('Ben');
  await rules(place, 'limits', { cooldown: 3_600 });

  const first = await swap(place.ada, place.general);
  const second = await refusal(place.ada, place.general);

  expect(isResult(first)).toBe(true);
  expect(second.text).toMatch(/a pause of 1 h .*\n.*start the next one <t:\d+:R>/);
  expect(isResult(await swap(ben, place.general))).toBe(true);
});

test('lets a member have a number of jobs at the same time, and no more until one is done', async () => {
  const place = await useCommunity();
  const { ada, general, engine } = place;
  await rules(place, 'limits', { 'at-once': 1 });
  const image = await sample('portrait-man-dark-hair.jpg');
  engine.pause();

  const first = await ada.runs('/photo-swap', { in: general, options: { image, face: image } });
  const second = await refusal(ada, general);
  engine.release();
  await first.replyWhere(isResult);

  expect(second.text).toContain('Each member may have one running at a time here.');
});

test('changes only the given limits, and removes the limit of a member', async () => {
  const place = await useCommunity();

  const nothing = await rules(place, 'limits');
  const two = await rules(place, 'limits', { 'at-once': 2 });
  const usual = await rules(place, 'limits', { 'at-once': 0 });

  expect(nothing.text).toContain('Nothing was changed.');
  expect(two.text).toContain('**At once per member**: 2');
  expect(usual.text).toContain('**At once per member**: no limit of its own');
});

test('blocks members, and admits them again after the block is removed', async () => {
  const place = await useCommunity();

  const shown = await rules(place, 'block', { member: place.ada });
  const refused = await refusal(place.ada, place.general);
  await rules(place, 'unblock', { member: place.ada });

  expect(shown.text).toContain(`**Blocked members**: <@${place.ada.id}>`);
  expect(refused.text).toContain('have blocked you');
  expect(isResult(await swap(place.ada, place.general))).toBe(true);
});

test('can be limited to age-restricted channels, also by the default of the operator', async () => {
  const place = await useCommunity({ bot: { accessDefaults: { ageRestrictedOnly: true } } });

  const before = await refusal(place.ada, place.general);
  await rules(place, 'limits', { 'age-restricted': false });

  expect(before.text).toContain('marked as age-restricted');
  expect(isResult(await swap(place.ada, place.general))).toBe(true);
});

test('asks Discord to offer it to members who manage the server, and other members may not even run it', async () => {
  const place = await useCommunity();

  expect(accessCommand.data.default_member_permissions).toBe('32');
  await expect(place.ada.runs('/access show', { in: place.general })).rejects.toThrow('permission');
});

test('itself checks that the member may manage the server, and that numbers are in range', async () => {
  const access = await Access.open({ db: await useDatabase(), clock: systemClock });
  const member = anOrigin();
  const admin = anOrigin({ isAdmin: true });
  const entry = { kind: 'role', target: '9', effect: 'deny' } as const;

  for (const attempt of [
    access.view(member),
    access.set(member, entry),
    access.clear(member, entry),
    access.limit(member, { cooldownSeconds: 0 }),
    access.reportTo(member, null),
  ]) {
    await expect(attempt).rejects.toMatchObject({ code: 'not_admin' });
  }
  await expect(access.limit(admin, { cooldownSeconds: -1 })).rejects.toThrow(AccessError);
  await expect(access.limit(admin, { concurrentMax: 0 })).rejects.toMatchObject({ code: 'out_of_range' });
});

test('keeps the rules and the channel for reports of one server separate from others', async () => {
  const access = await Access.open({ db: await useDatabase(), clock: systemClock });
  const here = anOrigin({ isAdmin: true, guildId: '100' });
  const there = anOrigin({ isAdmin: true, guildId: '200' });

  await access.limit(here, { cooldownSeconds: 60 });
  await access.reportTo(here, '300');
  await access.limit(here, { concurrentMax: 2 });

  expect(await access.view(here)).toMatchObject({ cooldownSeconds: 60, concurrentMax: 2 });
  expect(await access.view(there)).toMatchObject({ cooldownSeconds: 0, concurrentMax: null });
  expect(await access.reportsChannelOf('100')).toBe('300');
  expect(await access.reportsChannelOf('200')).toBeNull();
});

test('applies to the threads of a channel and the channels of a category, also if the parent is unknown', async () => {
  const db = await useDatabase();
  const access = await Access.open({ db, clock: systemClock });
  await access.set(anOrigin({ isAdmin: true }), { kind: 'channel', target: '30', effect: 'deny' });
  const refused = async (parentChannelIds: readonly string[] | null): Promise<boolean> => {
    const request = {
      ...anOrigin({ parentChannelIds }),
      capability: 'photo_swap',
      inputs: [],
      parameters: {},
    } as const;
    return (await db.transaction('guild:guild', (trx) => access.refuses(trx, request))) !== null;
  };

  expect(await refused(['20', '30'])).toBe(true);
  expect(await refused(null)).toBe(true);
  expect(await refused(['20', '31'])).toBe(false);
  expect(await refused([])).toBe(false);
});
