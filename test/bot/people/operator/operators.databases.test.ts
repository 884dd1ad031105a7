import { expect, test } from 'vitest';
import { useOperator } from './use-operator.ts';

const STRANGER = 'This is only for whoever runs this bot.';

test("an application's owner sees the status, privately; an admin who is not the owner sees nothing", async () => {
  const place = await useOperator();
  const admins = place.guild.addRole('Admins', 'ADMINISTRATOR');
  const admin = place.guild.addMember('Ben', { roles: [admins] });

  const status = await place.operates('status');
  const refused: string[] = [];
  for (const subcommand of ['status', 'guilds', 'holds', 'pause', 'resume']) {
    const answer = await place.operates(subcommand, {}, admin);
    refused.push(answer.text.trim());
    expect(answer.flags.ephemeral).toBe(true);
  }
  const allowance = { guild: place.guild.id, amount: '1' };
  refused.push((await place.operates('allowance', allowance, admin)).text.trim());
  refused.push((await place.operates('resolve', { hold: 'job_a', charged: '1' }, admin)).text.trim());
  const suggested = await admin.completes('/operator pause', {
    in: place.general,
    option: 'guild',
    typed: '',
  });

  expect(status.flags.ephemeral).toBe(true);
  expect(status.text).toContain('**Charged this month (UTC)**: $0.00 in 1 server');
  expect(new Set(refused)).toEqual(new Set([STRANGER]));
  expect(suggested).toEqual([]);
  expect((await place.swaps()).attachments).toHaveLength(1);
});

test('members who are no admins do not see the command', async () => {
  const place = await useOperator();

  await expect(place.operates('status', {}, place.ada)).rejects.toThrow('does not have the permission');
});

test('members of a team who accepted may use it, and members with read access may only look', async () => {
  const place = await useOperator();
  const admins = place.guild.addRole('Admins', 'ADMINISTRATOR');
  const [owner, developer, reader, invited] = ['Olu', 'Dan', 'Rhea', 'Ivo'].map((name) =>
    place.guild.addMember(name, { roles: [admins] }),
  );
  if (!owner || !developer || !reader || !invited) throw new TypeError('Cannot make a team without members');
  place.sandbox.giveApplicationTo([
    { member: owner },
    { member: developer, role: 'developer' },
    { member: reader, role: 'read_only' },
    { member: invited, state: 'invited' },
  ]);
  const asks = async (who: typeof owner, subcommand: string): Promise<string> =>
    (await place.operates(subcommand, {}, who)).text;

  expect(await asks(owner, 'status')).toContain('Masquerade, all servers');
  expect(await asks(developer, 'pause')).toContain('Paused');
  expect(await asks(reader, 'status')).toContain('Everything is paused');
  expect(await asks(reader, 'resume')).toContain('lets you look, but not change anything');
  expect(await asks(invited, 'status')).toContain(STRANGER);
  // The guild's owner, who was the only operator before, no longer has access.
  expect(await asks(place.guild.owner, 'status')).toContain(STRANGER);
});

test('nobody has access while Discord does not report who runs the bot', async () => {
  const place = await useOperator();
  place.sandbox.faults.failNext({ method: 'GET', route: '/applications/@me', status: 403, times: 1 });

  const answer = await place.operates('pause');
  place.sandbox.takeViolations();

  expect(answer.text).toContain('Discord did not say who runs this bot, so nothing was done');
  expect((await place.swaps()).attachments).toHaveLength(1);
  expect((await place.operates('status')).text).not.toContain('paused');
});
