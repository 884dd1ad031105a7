import { ApplicationCommandOptionType, ApplicationCommandType, ButtonStyle, ComponentType } from 'discord.js';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import {
  type Command,
  type CommandCall,
  type Component,
  type ComponentCall,
  type FormCall,
  IN_SERVERS_ONLY,
  type MenuCall,
} from '../../../../src/bot/discord/command.ts';
import { customId } from '../../../../src/bot/discord/words/replies/custom-id.ts';
import type { ComponentRow } from '../../../../src/bot/discord/wire/message-calls.ts';
import { picture } from '../../../media-server/test-engine.ts';
import { gate, until } from '../use-bot.ts';
import { sentence, useHandlers } from '../use-handlers.ts';

const NOTES = { name: 'notes.txt', bytes: new TextEncoder().encode('To be or not to be') };
const DAY_MS = 86_400_000;

/** Creates the command `/panel`, which shows `rows` to everyone, with the test's changes. */
function panel(rows: readonly ComponentRow[], changes: Partial<Command> = {}): Command {
  return {
    data: { name: 'panel', description: 'Shows a panel', ...IN_SERVERS_ONLY },
    execute: () => Promise.resolve({ kind: 'reply', reply: sentence('Panel', ...rows) }),
    ...changes,
  };
}

function button(label: string, id: string): ComponentRow {
  const { Button, ActionRow } = ComponentType;
  return {
    type: ActionRow,
    components: [{ type: Button, style: ButtonStyle.Primary, label, custom_id: id }],
  };
}

/** Returns work that never ends, and a promise that resolves when the work has started. */
function hang(): { readonly begun: Promise<void>; readonly work: () => Promise<never> } {
  const { promise: begun, resolve } = gate();
  const work = (): Promise<never> => {
    resolve();
    return new Promise(() => undefined);
  };
  return { begun, work };
}

const retry = button('Retry', customId('retry', 'job_abc', '2'));

function component(answer: Component['answer'], execute: Component['execute'], action = 'retry'): Component {
  return { action, answer, execute };
}

describe('a slash command', () => {
  test('receives its subcommand, and every kind of option by name', async () => {
    const calls: CommandCall[] = [];
    const { Subcommand, SubcommandGroup, ...types } = ApplicationCommandOptionType;
    const option = (name: string, type: number): object => ({ name, description: 'x', type });
    const options = [
      option('text', types.String),
      option('count', types.Integer),
      option('usd', types.Number),
      option('sure', types.Boolean),
      option('who', types.User),
      option('role', types.Role),
      option('where', types.Channel),
      option('script', types.Attachment),
    ];
    const data = {
      name: 'set',
      description: 'x',
      ...IN_SERVERS_ONLY,
      options: [
        {
          name: 'limit',
          description: 'x',
          type: SubcommandGroup,
          options: [{ name: 'day', description: 'x', type: Subcommand, options }],
        },
      ],
    } as Command['data'];
    const stage = await useHandlers({
      commands: [
        {
          data,
          execute: (call) => {
            calls.push(call);
            return Promise.resolve({ kind: 'reply', reply: sentence('Set') });
          },
        },
      ],
    });
    const role = stage.guild.addRole('Cutters');

    const use = await stage.ada.runs('/set limit day', {
      in: stage.channel,
      options: {
        text: 'hello',
        count: 3,
        usd: 0.5,
        sure: true,
        who: stage.ada,
        role,
        where: stage.channel,
        script: NOTES,
      },
    });
    await use.replied();

    const [call] = calls;
    expect(call?.subcommand).toBe('limit day');
    expect(Object.fromEntries(call?.texts ?? [])).toEqual({
      text: 'hello',
      who: stage.ada.id,
      role: role.id,
      where: stage.channel.id,
    });
    expect(Object.fromEntries(call?.numbers ?? [])).toEqual({ count: 3, usd: 0.5 });
    expect(Object.fromEntries(call?.flags ?? [])).toEqual({ sure: true });
    expect(call?.attachments.get('script')).toMatchObject({ sizeBytes: 18, contentType: /text/ });
  });

  test('answers privately when it requests that for this call', async () => {
    const answer: Command['answer'] = (call) => (call.origin.isAdmin ? 'public' : 'private');
    const stage = await useHandlers({ commands: [panel([], { answer })] });

    const reply = await (await stage.ada.runs('/panel', { in: stage.channel })).replied();

    expect(reply).toMatchObject({ content: '', flags: { ephemeral: true } });
    expect(stage.channel.messages).toEqual([]);
  });

  test.each(['public', 'private'] as const)(
    'deletes a %s reply when there is nothing to say',
    async (answer) => {
      const execute: Command['execute'] = () => Promise.resolve({ kind: 'nothing' });
      const stage = await useHandlers({ commands: [panel([], { answer, execute })] });

      const use = await stage.ada.runs('/panel', { in: stage.channel });
      await until(() => typeof use.interaction.original?.deletedAtMs === 'number');

      expect(use.reply).toBeNull();
      expect(stage.calls()).toEqual([
        'POST /interactions/…/…/callback',
        'DELETE /webhooks/…/…/messages/@original',
      ]);
    },
  );

  test('sends a private message even after it has started a public reply', async () => {
    const execute: Command['execute'] = () => Promise.resolve({ kind: 'whisper', reply: sentence('Psst') });
    const stage = await useHandlers({ commands: [panel([], { execute })] });

    const use = await stage.ada.runs('/panel', { in: stage.channel });
    const whisper = await use.followUpWhere(() => true);

    expect(whisper).toMatchObject({ text: expect.stringContaining('Psst'), flags: { ephemeral: true } });
    expect(stage.channel.messages).toEqual([]);
  });

  test.each(['reply', 'whisper'] as const)(
    'mentions nobody in a %s, whatever text members have entered',
    async (kind) => {
      const stage = await useHandlers({
        commands: [
          panel([], {
            execute: ({ origin }) => {
              const content = `@everyone @here <@${origin.userId}> <@&${origin.guildId}>`;
              return Promise.resolve({ kind, reply: { ...sentence(content), content } });
            },
          }),
        ],
      });

      const use = await stage.guild.owner.runs('/panel', { in: stage.channel });
      const shown = await (kind === 'reply' ? use.replied() : use.followUpWhere(() => true));

      expect(shown.content).toContain('@everyone');
      expect(shown.mentions).toEqual([]);
    },
  );

  test('receives the place of its use: the age restriction and the permissions of the member', async () => {
    const calls: CommandCall[] = [];
    const execute: Command['execute'] = (call) => {
      calls.push(call);
      return Promise.resolve({ kind: 'reply', reply: sentence('Here') });
    };
    const stage = await useHandlers({ commands: [panel([], { execute })] });
    stage.channel.becomesAgeRestricted();

    await (await stage.guild.owner.runs('/panel', { in: stage.channel })).replied();

    expect(calls[0]?.origin).toMatchObject({ isAgeRestricted: true, isAdmin: true, isModerator: true });
  });
});

describe('suggestions', () => {
  const voice = {
    name: 'voice',
    description: 'x',
    type: ApplicationCommandOptionType.String,
    autocomplete: true,
  } as const;
  const speak = (complete: Command['complete']): Command => ({
    data: { name: 'speak', description: 'x', ...IN_SERVERS_ONLY, options: [voice] },
    execute: () => Promise.resolve({ kind: 'nothing' }),
    ...(complete ? { complete } : {}),
  });

  test('are shown while the member types: at most 25, each cut to the length that Discord accepts', async () => {
    const long = `${'x'.repeat(99)}🎬`;
    const stage = await useHandlers({
      commands: [
        speak((call) =>
          Promise.resolve(
            Array.from({ length: 30 }, (_, n) => ({ name: `${call.typed} ${n} ${long}`, value: long })),
          ),
        ),
      ],
    });

    const choices = await stage.ada.completes('/speak', { in: stage.channel, option: 'voice', typed: 'an' });

    expect(choices).toHaveLength(25);
    expect(choices[3]).toEqual({ name: `an 3 ${'x'.repeat(95)}`, value: 'x'.repeat(99) });
  });

  test('are none, and logged, when the command fails', async () => {
    const stage = await useHandlers({ commands: [speak(() => Promise.reject(new Error('No voices')))] });

    const choices = await stage.ada.completes('/speak', { in: stage.channel, option: 'voice', typed: '' });

    expect(choices).toEqual([]);
    expect(stage.logged).toEqual(['Cannot find suggestions | No voices']);
  });

  test('are none after 2.5 seconds', async () => {
    const clock = new FakeClock(systemClock.now());
    const hanging = hang();
    const stage = await useHandlers({ commands: [speak(hanging.work)] }, clock);

    const asking = stage.ada.completes('/speak', { in: stage.channel, option: 'voice', typed: '' });
    await hanging.begun;
    await clock.advance(2_499);
    expect(stage.calls()).toEqual([]);
    await clock.advance(1);

    expect(await asking).toEqual([]);
  });
});

describe('a context menu', () => {
  const calls: MenuCall[] = [];
  const menu = (name: string, type: ApplicationCommandType.User | ApplicationCommandType.Message) => ({
    data: { name, type, ...IN_SERVERS_ONLY },
    answer: 'private' as const,
    execute: (call: MenuCall) => {
      calls.push(call);
      return Promise.resolve({ kind: 'reply' as const, reply: sentence('Done') });
    },
  });

  test("receives a message's author and files", async () => {
    const stage = await useHandlers({ menus: [menu('Use in a swap', ApplicationCommandType.Message)] });
    const said = await stage.ada.says('Look', { in: stage.channel, files: [NOTES] });

    const use = await stage.ada.runsOn('Use in a swap', said, { in: stage.channel });

    expect((await use.replied()).flags.ephemeral).toBe(true);
    expect(calls.at(-1)?.target).toEqual({
      kind: 'message',
      id: said.id,
      authorId: stage.ada.id,
      isOwn: false,
      attachments: [
        {
          id: said.attachments[0]?.id,
          name: 'notes.txt',
          url: expect.stringContaining(stage.sandbox.cdnHost),
          sizeBytes: 18,
          contentType: 'text/plain; charset=utf-8',
        },
      ],
    });
  });

  test("receives a member's picture, the one of this server first", async () => {
    const stage = await useHandlers({ menus: [menu('Swap', ApplicationCommandType.User)] });
    const ben = stage.guild.addMember('Ben');
    const seen: (string | null)[] = [];
    const look = async (): Promise<void> => {
      await (await stage.ada.runsOn('Swap', ben, { in: stage.channel })).replied();
      const target = calls.at(-1)?.target;
      if (target?.kind === 'user') seen.push(target.avatarUrl);
    };

    await look();
    ben.hasAvatar(await picture(8));
    await look();
    ben.hasAvatarHere(await picture(16));
    await look();

    const host = `http://${stage.sandbox.cdnHost}`;
    expect(seen).toEqual([
      null,
      expect.stringMatching(`^${host}/avatars/${ben.id}/[0-9a-f]{32}\\.png`),
      expect.stringMatching(`^${host}/guilds/${stage.guild.id}/users/${ben.id}/avatars/[0-9a-f]{32}\\.png`),
    ]);
    expect((await fetch(seen[2] ?? '')).headers.get('content-type')).toBe('image/png');
  });
});

describe('a button', () => {
  test('passes its arguments and its message, and changes that message', async () => {
    const calls: ComponentCall[] = [];
    const press = component('update', (call) => {
      calls.push(call);
      return Promise.resolve({ kind: 'reply', reply: sentence('Pressed') });
    });
    const stage = await useHandlers({ commands: [panel([retry])], components: [press] });
    const message = await (await stage.ada.runs('/panel', { in: stage.channel })).replied();

    await stage.ada.presses('Retry', { on: message });
    await stage.channel.messageWhere((shown) => shown.text.includes('Pressed'));

    expect(calls).toEqual([
      expect.objectContaining({
        args: ['job_abc', '2'],
        values: [],
        message: {
          kind: 'message',
          id: message.id,
          authorId: stage.client.user.id,
          isOwn: true,
          attachments: [],
        },
      }),
    ]);
    expect(stage.channel.messages).toHaveLength(1);
    expect(message.components).toEqual([]);
  });

  test('can send a private message and leave its own message as it is', async () => {
    const press = component('update', () =>
      Promise.resolve({ kind: 'whisper', reply: sentence('Not yours') }),
    );
    const stage = await useHandlers({ commands: [panel([retry])], components: [press] });
    const message = await (await stage.ada.runs('/panel', { in: stage.channel })).replied();

    const whisper = await (await stage.ada.presses('Retry', { on: message })).followUpWhere(() => true);

    expect(whisper).toMatchObject({ text: expect.stringContaining('Not yours'), flags: { ephemeral: true } });
    expect(message).toMatchObject({ editedCount: 1, components: [expect.anything()] });
  });

  test('apologises privately, and leaves its message as it is', async () => {
    const press = component('update', () => Promise.reject(new TypeError('secret detail')));
    const stage = await useHandlers({ commands: [panel([retry])], components: [press] });
    const message = await (await stage.ada.runs('/panel', { in: stage.channel })).replied();

    const told = await (await stage.ada.presses('Retry', { on: message })).followUpWhere(() => true);

    expect(told).toMatchObject({ flags: { ephemeral: true } });
    expect(told.text).toMatch(/Something went wrong/);
    expect(message.text).toContain('Panel');
  });

  test('starts a job whose card is a new message', async () => {
    const press = component('public', async ({ origin }, { intake }) => {
      const request = { ...origin, capability: 'photo_swap', inputs: [], parameters: {} } as const;
      const outcome = await intake.accept(request);
      if (!outcome.accepted) throw new Error('Refused');
      return { kind: 'job', jobId: outcome.jobId };
    });
    const stage = await useHandlers({ commands: [panel([retry])], components: [press] });
    const message = await (await stage.ada.runs('/panel', { in: stage.channel })).replied();

    const use = await stage.ada.presses('Retry', { on: message });
    await until(() => stage.intake.record.length === 2);

    expect(stage.intake.target.messageId).toBe(use.interaction.original?.id);
    expect(use.interaction.original?.id).not.toBe(message.id);
  });

  test('works after a restart and weeks later', async () => {
    const clock = new FakeClock(systemClock.now());
    const press = component('update', (call) =>
      Promise.resolve({ kind: 'reply', reply: sentence(`Again: ${call.args[0]}`) }),
    );
    const stage = await useHandlers({ commands: [panel([retry])] }, clock);
    const message = await (await stage.ada.runs('/panel', { in: stage.channel })).replied();

    await stage.restart({ components: [press] });
    await clock.advance(30 * DAY_MS);
    await stage.ada.presses('Retry', { on: message });
    const shown = await stage.channel.messageWhere((one) => one.text.includes('Again'));

    expect(shown.text).toContain('Again: job_abc');
  });

  test('works on a private message', async () => {
    const press = component('update', () => Promise.resolve({ kind: 'reply', reply: sentence('Pressed') }));
    const stage = await useHandlers({
      commands: [panel([retry], { answer: 'private' })],
      components: [press],
    });
    const message = await (await stage.ada.runs('/panel', { in: stage.channel })).replied();

    const use = await stage.ada.presses('Retry', { on: message });
    await use.replyWhere((shown) => shown.text.includes('Pressed'));

    expect(message.flags.ephemeral).toBe(true);
    expect(use.followUps).toEqual([]);
  });

  test('of an older version answers that privately', async () => {
    const old = button('Old', customId('gone', 'x'));
    const stage = await useHandlers({ commands: [panel([old])] });
    const message = await (await stage.ada.runs('/panel', { in: stage.channel })).replied();

    const told = await (await stage.ada.presses('Old', { on: message })).replied();

    expect(told.flags.ephemeral).toBe(true);
    expect(told.text).toContain('This button is from an older version of the bot');
  });

  test('of the host is left to the host', async () => {
    const stage = await useHandlers({ commands: [panel([button('Host', 'host:1')])] });
    stage.client.on('interactionCreate', (interaction) => {
      if (interaction.isButton()) void interaction.reply('from the host');
    });
    const message = await (await stage.ada.runs('/panel', { in: stage.channel })).replied();

    const reply = await (await stage.ada.presses('Host', { on: message })).replied();

    expect(reply.content).toBe('from the host');
    expect(stage.logged).toEqual([]);
  });

  test('that arrives twice is answered once', async () => {
    let count = 0;
    const press = component('update', () => {
      count += 1;
      return Promise.resolve({ kind: 'nothing' });
    });
    const stage = await useHandlers({ commands: [panel([retry])], components: [press] });
    const message = await (await stage.ada.runs('/panel', { in: stage.channel })).replied();
    stage.sandbox.faults.duplicateDispatch();

    const use = await stage.ada.presses('Retry', { on: message });
    await use.acknowledged();
    use.repeats();
    const again = await stage.ada.presses('Retry', { on: message });
    await again.acknowledged();

    expect(count).toBe(2);
    expect(stage.calls().filter((call) => call.includes('callback'))).toHaveLength(3);
  });
});

describe('a select menu', () => {
  test.each([
    ['members', ComponentType.UserSelect],
    ['roles', ComponentType.RoleSelect],
    ['members and roles', ComponentType.MentionableSelect],
    ['channels', ComponentType.ChannelSelect],
  ] as const)('of %s passes the chosen ids', async (_what, type) => {
    const values: (readonly string[])[] = [];
    const select = component(
      'update',
      (call) => {
        values.push(call.values);
        return Promise.resolve({ kind: 'nothing' });
      },
      'pick',
    );
    const row = {
      type: ComponentType.ActionRow,
      components: [{ type, custom_id: customId('pick'), max_values: 2 }],
    } as ComponentRow;
    const stage = await useHandlers({ commands: [panel([row])], components: [select] });
    const role = stage.guild.addRole('Cutters');
    const chosen = {
      [ComponentType.UserSelect]: [stage.ada.id, stage.guild.owner.id],
      [ComponentType.RoleSelect]: [role.id],
      [ComponentType.MentionableSelect]: [role.id, stage.ada.id],
      [ComponentType.ChannelSelect]: [stage.channel.id],
    }[type];
    const message = await (await stage.ada.runs('/panel', { in: stage.channel })).replied();

    await (await stage.ada.selects(chosen, { on: message })).acknowledged();

    expect(values).toEqual([chosen]);
  });

  test('of texts passes the chosen values', async () => {
    const values: (readonly string[])[] = [];
    const select = component('update', (call) => {
      values.push(call.values);
      return Promise.resolve({ kind: 'reply', reply: sentence('Chosen') });
    });
    const row: ComponentRow = {
      type: ComponentType.ActionRow,
      components: [
        {
          type: ComponentType.StringSelect,
          custom_id: customId('retry'),
          options: [{ label: 'High', value: 'high' }],
        },
      ],
    };
    const stage = await useHandlers({ commands: [panel([row])], components: [select] });
    const message = await (await stage.ada.runs('/panel', { in: stage.channel })).replied();

    await stage.ada.selects(['high'], { on: message });
    await stage.channel.messageWhere((shown) => shown.text.includes('Chosen'));

    expect(values).toEqual([['high']]);
  });
});

describe('a form', () => {
  const form = {
    custom_id: customId('script', 'draft_1'),
    title: 'Script',
    components: [
      {
        type: ComponentType.Label,
        label: 'What to say',
        component: { type: ComponentType.TextInput, custom_id: 'script', style: 2 },
      },
      {
        type: ComponentType.Label,
        label: 'How',
        component: {
          type: ComponentType.StringSelect,
          custom_id: 'voice',
          options: [{ label: 'Anna', value: 'anna' }],
        },
      },
      {
        type: ComponentType.Label,
        label: 'Face',
        component: { type: ComponentType.FileUpload, custom_id: 'face', required: false },
      },
    ],
  } as const;
  const opens: Command['execute'] = () => Promise.resolve({ kind: 'form', form: form as never });

  test('opens from a command, and passes the text, the choices and the files', async () => {
    const calls: FormCall[] = [];
    const stage = await useHandlers({
      commands: [panel([], { answer: 'form', execute: opens })],
      forms: [
        {
          action: 'script',
          answer: 'update',
          execute: (call) => {
            calls.push(call);
            return Promise.resolve({ kind: 'reply', reply: sentence('Thanks') });
          },
        },
      ],
    });

    const use = await stage.ada.runs('/panel', { in: stage.channel });
    await use.acknowledged();
    const sent = await stage.ada.submits(use, { script: 'To be', voice: ['anna'], face: NOTES });
    const reply = await sent.replied();
    await (await stage.ada.submits(use, { script: 'Not', voice: ['anna'] })).replied();

    expect(reply).toMatchObject({ text: expect.stringContaining('Thanks'), flags: { ephemeral: true } });
    expect(calls[0]).toMatchObject({ args: ['draft_1'], message: null });
    expect(calls[0]?.texts).toEqual(new Map([['script', 'To be']]));
    expect(calls[0]?.choices).toEqual(new Map([['voice', ['anna']]]));
    expect(calls[0]?.attachments.get('face')?.sizeBytes).toBe(18);
    expect(calls[1]?.attachments.size).toBe(0);
  });

  test('that a button opened changes the message of the button', async () => {
    const open = component('form', () => Promise.resolve({ kind: 'form', form: form as never }));
    const stage = await useHandlers({
      commands: [panel([retry])],
      components: [open],
      forms: [
        {
          action: 'script',
          answer: 'update',
          execute: (call) =>
            Promise.resolve({ kind: 'reply', reply: sentence(`Script: ${call.texts.get('script')}`) }),
        },
      ],
    });
    const message = await (await stage.ada.runs('/panel', { in: stage.channel })).replied();

    const use = await stage.ada.presses('Retry', { on: message });
    await use.acknowledged();
    await stage.ada.submits(use, { script: 'To be', voice: ['anna'] });
    await stage.channel.messageWhere((shown) => shown.text.includes('Script: To be'));

    expect(stage.channel.messages).toHaveLength(1);
  });

  test('that cannot be opened is explained privately', async () => {
    const execute: Command['execute'] = () =>
      Promise.resolve({ kind: 'reply', reply: sentence('Not allowed') });
    const stage = await useHandlers({ commands: [panel([], { answer: 'form', execute })] });

    const reply = await (await stage.ada.runs('/panel', { in: stage.channel })).replied();

    expect(reply).toMatchObject({ text: expect.stringContaining('Not allowed'), flags: { ephemeral: true } });
  });

  test('that takes longer than 1.5 seconds to open ends in a private apology', async () => {
    const clock = new FakeClock(systemClock.now());
    const hanging = hang();
    const commands = [panel([], { answer: 'form', execute: hanging.work })];
    const stage = await useHandlers({ commands }, clock);

    const use = await stage.ada.runs('/panel', { in: stage.channel });
    await hanging.begun;
    await clock.advance(1_499);
    expect(use.state).toBe('waiting');
    await clock.advance(1);
    const reply = await use.replied();

    expect(reply).toMatchObject({ flags: { ephemeral: true } });
    expect(reply.text).toContain('Something went wrong');
  });

  test('that Discord rejects ends in a private apology', async () => {
    const execute: Command['execute'] = () =>
      Promise.resolve({ kind: 'form', form: { ...form, title: 'x'.repeat(46) } as never });
    const stage = await useHandlers({ commands: [panel([], { answer: 'form', execute })] });

    const reply = await (await stage.ada.runs('/panel', { in: stage.channel })).replied();

    expect(reply.text).toContain('Something went wrong');
    expect(stage.sandbox.takeViolations().map(({ detail }) => detail)).toEqual([
      expect.stringContaining('title'),
    ]);
  });

  test('of an older version answers that', async () => {
    const stage = await useHandlers({ commands: [panel([], { answer: 'form', execute: opens })] });
    const use = await stage.ada.runs('/panel', { in: stage.channel });
    await use.acknowledged();

    const sent = await stage.ada.submits(use, { script: 'To be', voice: ['anna'] });

    expect((await sent.replied()).text).toContain('This form is from an older version');
  });
});
