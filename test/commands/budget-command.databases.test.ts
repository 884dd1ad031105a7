import { describe, expect, test } from 'vitest';
import { ZERO, micros } from '../../src/base/money.ts';
import { sample, useCommunity } from '../helpers/use-community.ts';
import {
  type Options,
  begin,
  budget,
  clockAt,
  moveTo,
  refusal,
  resetAt,
  swap,
} from './use-budget-command.ts';

describe('/budget', () => {
  test('lets an admin set budgets, and everyone see what is left', async () => {
    const { guild, general, ada } = await useCommunity();

    const set = await budget(guild.owner, general, 'set', { amount: '0.30', period: 'day' });
    await swap(ada, general);

    expect(set).toContain("**This server's daily budget**");
    expect(set).toContain('It counts in place of the usual monthly **$10.00**.');
    const shown = await budget(ada, general, 'show');
    expect(shown).toMatch(/`█░{11}` 13% · \*\*\$0\.26\*\* of \*\*\$0\.30\*\* left/);
    expect(shown).toMatch(/\$0\.04 charged · resets <t:\d+:R>/);
    expect(shown).toContain('By the clocks of **UTC**, now');
    expect(shown).not.toContain('Managed by');
    expect(general.messages.every(({ attachments }) => attachments.length === 1)).toBe(true);
  });

  test('shows members without permission who has it, and changes nothing', async () => {
    const { guild, general, ada } = await useCommunity();
    const attempts: [string, Options][] = [
      ['set', { amount: '500', period: 'day' }],
      ['clear', { period: 'month' }],
      ['history', {}],
      ['settings', { confirm_above: '1' }],
      ['managers add', { role: guild.addRole('Friends') }],
    ];

    for (const [subcommand, options] of attempts) {
      expect(await budget(ada, general, subcommand, options)).toContain('may manage the server');
    }
    expect(await budget(guild.owner, general, 'history')).toContain('Nothing was changed yet.');
  });

  test('lets the roles that an admin chooses manage budgets, but not choose others', async () => {
    const { guild, general, ada } = await useCommunity();
    const treasurer = guild.addRole('Treasurer');
    ada.hasRoles(treasurer);

    const named = await budget(guild.owner, general, 'managers add', { role: treasurer });
    const set = await budget(ada, general, 'set', { amount: '1', period: 'week' });
    const more = await budget(ada, general, 'managers add', { role: guild.addRole('Friends') });
    const history = await budget(ada, general, 'history');
    await budget(guild.owner, general, 'managers remove', { role: treasurer });

    expect(named).toContain(`**Managed by**: members who may manage the server, <@&${treasurer.id}>`);
    expect(set).toContain('**$1.00** of **$1.00** left');
    expect(more).toContain('Only members who may manage the server can choose');
    expect(history).toContain(`This server's weekly budget: set to **$1.00** · <@${ada.id}>`);
    expect(await budget(ada, general, 'set', { amount: '2', period: 'week' })).toContain('can do that');
  });

  test('refuses an invalid amount politely, and never repeats it', async () => {
    const { guild, general } = await useCommunity();
    const wanted = [
      ['1e9', 'does not hold an amount'],
      ['NaN', 'does not hold an amount'],
      ['-1', 'is below zero'],
      ['1,50', 'holds a comma'],
      ['0.0000001', 'more than six decimals'],
      ['1000000.01', 'The most is **$1,000,000.00**'],
      ['<@&1> ||x||', 'does not hold an amount'],
    ] as const;

    const refusals: string[] = [];
    for (const [amount] of wanted) {
      refusals.push(await budget(guild.owner, general, 'set', { amount, period: 'day' }));
    }

    expect(refusals).toEqual(wanted.map(([, words]) => expect.stringContaining(words)));
    for (const refusal of refusals) expect(refusal).toContain(`Nothing was changed: \`amount\` `);
    expect(await budget(guild.owner, general, 'history')).toContain('Nothing was changed yet.');
  });

  test('accepts a role or a member, not both, and clears only existing budgets', async () => {
    const { guild, general, ada } = await useCommunity();
    const role = guild.addRole('Patron');

    const both = await budget(guild.owner, general, 'set', { amount: '1', period: 'day', role, member: ada });
    const none = await budget(guild.owner, general, 'clear', { period: 'day', member: ada });
    await budget(guild.owner, general, 'set', { amount: '1', period: 'day', member: ada });
    const cleared = await budget(guild.owner, general, 'clear', { period: 'day', member: ada });

    expect(both).toContain('choose one role or one member, not both');
    expect(none).toContain('there is no such budget');
    expect(cleared).toContain(`The daily budget of <@${ada.id}> does not count any more. It was **$1.00**.`);
  });

  test('removes the budget of a deleted role', async () => {
    const { guild, general } = await useCommunity();
    const { owner } = guild;
    const role = guild.addRole('Patron');
    await budget(owner, general, 'set', { amount: '1', period: 'day', role });
    await budget(owner, general, 'managers add', { role });
    const listed = { name: `Role ${role.id}`, value: `role:${role.id}` };

    for (const command of ['/budget clear', '/budget managers remove']) {
      const found = await owner.completes(command, { in: general, option: 'gone', typed: 'role' });
      expect(found).toEqual([listed]);
    }
    const wrong = await budget(owner, general, 'clear', { period: 'day', gone: 'Patron' });
    const cleared = await budget(owner, general, 'clear', { period: 'day', gone: listed.value });
    const removed = await budget(owner, general, 'managers remove', { gone: listed.value });

    expect(wrong).toContain('Whoever is gone must be picked from the list.');
    expect(cleared).toContain(`each member with <@&${role.id}> does not count any more. It was **$1.00**.`);
    expect(removed).not.toContain(role.id);
    expect(await budget(owner, general, 'managers remove')).toContain('Nothing was changed. Choose a role');
  });

  test('restores the default when the last budget for everything is removed', async () => {
    const { guild, general } = await useCommunity();
    await budget(guild.owner, general, 'set', { amount: '1', period: 'day' });

    const cleared = await budget(guild.owner, general, 'clear', { period: 'day' });

    expect(cleared).toContain('What counts from now on:\n**This server');
    expect(cleared).toContain("**This server's monthly budget** (the usual one)");
    expect(cleared).toContain('**$10.00** of **$10.00** left');
  });

  test('shows the pages of its history', async () => {
    const { guild, general } = await useCommunity();
    const { owner } = guild;
    for (let n = 1; n <= 11; n += 1) {
      await budget(owner, general, 'set', { amount: String(n), period: 'day' });
    }

    const first = await (await owner.runs('/budget history', { in: general })).replied();
    expect(first.text).toContain('**$10.00** → **$11.00**');
    expect(first.text).not.toContain('set to **$1.00**');
    await owner.presses('Older', { on: first });

    await expect.poll(() => first.text).toContain('set to **$1.00**');
    expect(first.text).toContain('page 2');
    expect(first.text).not.toContain('Older');
  });

  test('suggests time zones with their local times', async () => {
    const { guild, general } = await useCommunity();

    const choices = await guild.owner.completes('/budget settings', {
      in: general,
      option: 'time_zone',
      typed: 'new y',
    });

    expect(choices).toEqual([
      { name: expect.stringMatching(/^America\/New_York, now \d\d:\d\d$/), value: 'America/New_York' },
    ]);
  });

  test('shows, changes and resets settings', async () => {
    const { guild, general, ada } = await useCommunity();
    const { owner } = guild;

    const usual = await budget(ada, general, 'settings');
    const wrong = await budget(owner, general, 'settings', { time_zone: '+05:17' });
    const changed = await budget(owner, general, 'settings', {
      time_zone: 'europe/berlin',
      confirm_above: '0.5',
      alerts: general,
    });
    const back = await budget(owner, general, 'settings', { reset: 'confirm_above' });

    expect(usual).toContain('- **Asked before**: no job');
    expect(wrong).toContain('There is no time zone of that name.');
    expect(changed).toContain('- **Time zone**: Europe/Berlin, now');
    expect(changed).toContain('- **Asked before**: jobs of more than $0.50');
    expect(changed).toContain(`- **Alerts go to**: <#${general.id}>`);
    expect(back).toContain('- **Asked before**: no job');
    expect(back).toContain('- **Time zone**: Europe/Berlin');
  });
});

test('asks before a job above the threshold, and not before one below it', async () => {
  const { guild, general, ada } = await useCommunity();

  await budget(guild.owner, general, 'settings', { confirm_above: '1' });
  await swap(ada, general);
  await budget(guild.owner, general, 'settings', { confirm_above: '0' });
  const image = await sample('portrait-man-dark-hair.jpg');
  const use = await ada.runs('/photo-swap', { in: general, options: { image, face: image } });

  expect((await use.replyWhere(({ text }) => text.includes('go on for'))).text).toContain('about $0.04');
});

describe('a budget that is used up', () => {
  test('refuses in every period with the words and the reset of that period', async () => {
    const clock = clockAt('2027-02-27T12:00:00Z');
    const { guild, general, ada } = await useCommunity({ bot: { clock } });
    await begin(ada, general);
    const cases = [
      ['day', "This server's daily budget", resetAt('2027-02-28T00:00:00Z')],
      ['week', "This server's weekly budget", resetAt('2027-03-01T00:00:00Z')],
      ['month', "This server's monthly budget", resetAt('2027-03-01T00:00:00Z')],
      ['total', "This server's total budget", 'It never resets.'],
    ] as const;

    for (const [period, name, reset] of cases) {
      await budget(guild.owner, general, 'set', { amount: '0.07', period });
      const refused = await refusal(ada, general);
      expect(refused).toContain(
        `should cost **about $0.04**; until it is done, **$0.06** must be set aside. ${name} has only **$0.01** of **$0.07** left (**$0.06** is set aside for what is running).`,
      );
      expect(refused).toContain('When the running jobs end, what they do not cost comes back');
      expect(refused).toContain(`${reset} An admin can raise it with \`/budget set\`.`);
      await budget(guild.owner, general, 'clear', { period });
    }
    await begin(ada, general);
  });

  test('for one command does not affect the others', async () => {
    const { guild, general, ada } = await useCommunity();
    const { owner } = guild;

    await budget(owner, general, 'set', { amount: '0.001', period: 'day', capability: 'video_swap' });
    await swap(ada, general);
    await budget(owner, general, 'set', { amount: '0.07', period: 'day', capability: 'photo_swap' });

    expect(await refusal(ada, general)).toContain(
      "This server's daily budget for Photo Swap has only **$0.03** of **$0.07** left.",
    );
  });

  test('for each member with a role applies to each separately', async () => {
    const { guild, general, ada } = await useCommunity();
    const patron = guild.addRole('Patron');
    const [ben, eve] = [guild.addMember('Ben'), guild.addMember('Eve')];
    ada.hasRoles(patron);
    ben.hasRoles(patron);
    await budget(guild.owner, general, 'set', { amount: '0.07', period: 'week', role: patron });

    await swap(ada, general);
    const refused = await refusal(ada, general, 'alone');
    await swap(ben, general);
    await swap(eve, general);
    await swap(eve, general);

    expect(refused).toContain(`Your weekly budget as <@&${patron.id}> has only **$0.03** of **$0.07** left.`);
    expect(await budget(ada, general, 'show')).toContain(
      `### You\n**Your weekly budget as <@&${patron.id}>**`,
    );
    const all = await budget(guild.owner, general, 'show');
    expect(all).toContain(
      `**The weekly budget of each member with <@&${patron.id}>**\n**$0.07** for each of them`,
    );
  });

  test('for one member applies to that member only', async () => {
    const { guild, general, ada } = await useCommunity();
    const ben = guild.addMember('Ben');
    await budget(guild.owner, general, 'set', { amount: '0.001', period: 'total', member: ada });

    const refused = await refusal(ada, general, 'alone');
    await swap(ben, general);

    expect(refused).toContain('Your total budget has only **$0.001** of **$0.001** left.');
    expect(refused).toContain('More must be set aside than all of it, so waiting does not help.');
    expect(await budget(ben, general, 'show')).not.toContain('### You');
  });

  test('of zero is explained, with what changes that', async () => {
    const defaultBudget = { limit: ZERO, period: 'month', timeZone: 'UTC' } as const;
    const { guild, general, ada } = await useCommunity({ bot: { defaultBudget } });

    const none = await refusal(ada, general);
    const shown = await budget(ada, general, 'show');
    await budget(guild.owner, general, 'set', { amount: '0.10', period: 'total' });
    await swap(ada, general);
    await budget(guild.owner, general, 'set', { amount: '0', period: 'day' });

    expect(none).toContain('no budget yet');
    expect(none).toContain(
      'Nobody has set a budget for this server yet.\nAn admin can set one with `/budget set`.',
    );
    expect(shown).toContain('nothing is spent until an admin sets a budget with `/budget set`');
    expect(await refusal(ada, general)).toContain("This server's daily budget is **$0.00**.");
  });

  test('includes the allowance of the operator, whatever the admins set', async () => {
    const allowance = { limit: micros(70_000), period: 'day' } as const;
    const { guild, general, ada } = await useCommunity({ bot: { allowance } });

    const above = await budget(guild.owner, general, 'set', { amount: '0.08', period: 'day' });
    await budget(guild.owner, general, 'set', { amount: '5', period: 'week' });
    await swap(ada, general);
    const refused = await refusal(ada, general);

    expect(above).toContain('lets this server spend at most **$0.07** a day: set **$0.07** or less');
    expect(refused).toContain("This server's daily allowance has only **$0.03** of **$0.07** left.");
    expect(refused).toContain('Only whoever runs this bot can raise it.');
  });
});

describe('the time zone of a server', () => {
  test('moves the resets to its local time, but never releases earlier spending', async () => {
    const clock = clockAt('2027-01-31T14:30:00Z');
    const { guild, general, ada } = await useCommunity({ bot: { clock } });
    const { owner } = guild;
    await begin(ada, general);
    moveTo(clock, '2027-01-31T15:30:00Z');
    await budget(owner, general, 'set', { amount: '0.07', period: 'month' });

    const inUtc = await refusal(ada, general);
    await budget(owner, general, 'settings', { time_zone: 'America/New_York' });
    const inNewYork = await refusal(ada, general);
    await budget(owner, general, 'settings', { time_zone: 'Asia/Tokyo' });
    // In Tokyo it is already February, but spending in January continues to count until the end of February.
    const inTokyo = await refusal(ada, general);
    moveTo(clock, '2027-02-28T15:00:00Z');
    await begin(ada, general);

    expect(inUtc).toContain(resetAt('2027-02-01T00:00:00Z'));
    expect(inNewYork).toContain(resetAt('2027-02-01T05:00:00Z'));
    expect(inTokyo).toContain('**$0.01** of **$0.07** left');
    expect(inTokyo).toContain(resetAt('2027-02-28T15:00:00Z'));
    expect(await refusal(ada, general)).toContain(resetAt('2027-03-31T15:00:00Z'));
  });

  test('says when the budgets reset after a change, in the new local time', async () => {
    const { guild, general } = await useCommunity({ bot: { clock: clockAt('2026-11-23T12:30:00Z') } });

    const changed = await budget(guild.owner, general, 'settings', { time_zone: 'America/New_York' });
    const back = await budget(guild.owner, general, 'settings', { time_zone: 'Europe/Berlin' });

    // These resets follow New York's calendar, whose days end later than those in UTC.
    expect(changed).not.toContain('lengthens');
    expect(back).toContain("Today's: **Tuesday 24 November 2026 at 06:00**");
    expect(back).toContain("This week's: **Monday 30 November 2026 at 06:00**");
    expect(back).toContain("This month's: **Tuesday 1 December 2026 at 06:00**");
    expect(back).toContain('Then they follow the calendar of Europe/Berlin.');
  });

  test.each([
    ['2027-03-28T10:00:00Z', '2027-03-28T22:00:00Z'],
    ['2027-10-31T10:00:00Z', '2027-10-31T23:00:00Z'],
  ])('handles days of 23 and 25 hours: %s', async (now, resets) => {
    const clock = clockAt('2027-03-01T00:00:00Z');
    const { guild, general, ada } = await useCommunity({ bot: { clock } });
    await budget(guild.owner, general, 'settings', { time_zone: 'Europe/Berlin' });
    moveTo(clock, now);
    await begin(ada, general);
    await budget(guild.owner, general, 'set', { amount: '0.07', period: 'day' });

    expect(await refusal(ada, general)).toContain(resetAt(resets));
    moveTo(clock, resets);
    await begin(ada, general);
  });
});
