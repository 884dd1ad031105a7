import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { useSandbox } from '../../helpers/use-sandbox.ts';
import { closeBrowser, hasBrowser } from './use-browser.ts';
import { visitChat } from './use-chat-page.ts';
import { hasFocus } from './page-gestures.ts';
import { SAMPLES, lookAt } from './use-connected-chat.ts';

const COMPONENTS_V2 = 32_768;
const FILES = [
  'portrait-man-dark-hair.jpg',
  'portrait-woman-brown-hair.jpg',
  'talking-woman-512.mp4',
  'README.md',
];
const LONG_WORD = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft';

const TYPES: Readonly<Record<string, string>> = { jpg: 'image/jpeg', mp4: 'video/mp4', md: 'text/markdown' };
const [man = '', woman = '', clip = '', text = ''] = FILES.map((name) => `attachment://${name}`);
const link = { type: 2, style: 5, label: 'A page', url: 'https://example.com/' };
const row = (...components: readonly unknown[]): unknown => ({ type: 1, components });
const button = (style: number, label: string, rest = {}): unknown => ({
  type: 2,
  style,
  label,
  custom_id: label,
  ...rest,
});
const options = ['Quietly', 'Loudly', 'Not at all'].map((label) => ({
  label,
  value: label,
  description: 'As it is said',
}));

const CARD = {
  flags: COMPONENTS_V2,
  components: [
    { type: 10, content: '## What was made\n-# In a moment' },
    {
      type: 17,
      accent_color: 0x6b3fd4,
      components: [
        {
          type: 9,
          components: [{ type: 10, content: `**${LONG_WORD}**\nHere is what you asked for.` }],
          accessory: { type: 11, media: { url: man }, description: 'A man' },
        },
        { type: 14, divider: true, spacing: 2 },
        { type: 12, items: [{ media: { url: woman }, description: 'A woman' }, { media: { url: clip } }] },
        { type: 13, file: { url: text } },
        row({ type: 3, custom_id: 'how', placeholder: 'How?', options, min_values: 1, max_values: 2 }),
        row(
          button(1, 'Once more'),
          button(3, 'Keep'),
          button(4, 'Delete'),
          button(2, 'Later', { disabled: true }),
          link,
        ),
      ],
    },
  ],
};

const EMBED = {
  content: 'Working ...',
  embeds: [
    {
      title: 'A card of the first kind',
      url: 'https://example.com/',
      description: `> ${LONG_WORD.repeat(3)}\n||a secret|| \`code\``,
      color: 0x1b7a43,
      author: { name: 'Somebody' },
      fields: [
        { name: 'Cost', value: '$0.04', inline: true },
        { name: 'Left this month', value: '$9.96 of $10.00', inline: true },
        { name: 'For everybody', value: 'A line of its own' },
      ],
      footer: { text: 'AI-altered media' },
      timestamp: '2026-01-02T03:04:05.000Z',
    },
  ],
};

afterAll(closeBrowser);

/** Has the bot write or change a message. */
async function bot(
  { apiUrl, token }: Sandbox,
  [method, path]: readonly [string, string],
  { body, files = [] }: { readonly body: unknown; readonly files?: readonly string[] },
): Promise<string> {
  const form = new FormData();
  form.set('payload_json', JSON.stringify(body));
  for (const [index, name] of files.entries()) {
    form.set(
      `files[${index}]`,
      new Blob([await readFile(join(SAMPLES, name))], { type: TYPES[name.split('.').at(-1) ?? ''] ?? '' }),
      name,
    );
  }
  const headers = { authorization: `Bot ${token}` };
  const answer = await fetch(`${apiUrl}/v10${path}`, { method, headers, body: form });
  const { id, ...rest } = (await answer.json()) as { readonly id?: string };
  if (id === undefined) throw new Error(`Cannot write as the bot: ${JSON.stringify(rest)}`);
  return id;
}

/** Opens the chat page at a channel; the bot writes there through the API path that is returned as `channel`. */
async function visitGeneral() {
  const sandbox = await useSandbox();
  const { general } = sandbox.seed().filmClub.channels;
  const visitor = await visitChat(sandbox);
  await visitor.field.waitFor();
  return { sandbox, channel: `/channels/${general.id}/messages`, visitor, page: visitor.page };
}

describe.skipIf(!hasBrowser)('a message of a bot', () => {
  test('is shown with all its parts, for both kinds of cards, and after each change', async () => {
    const { sandbox, channel, visitor, page } = await visitGeneral();

    const attachments = FILES.map((filename, id) => ({ id, filename }));
    await bot(sandbox, ['POST', channel], { body: { ...CARD, attachments }, files: FILES });
    const card = visitor.message('What was made');
    await card.getByRole('img', { name: 'A man' }).waitFor();
    await card.getByRole('img', { name: 'A woman' }).waitFor();
    await card.locator('video').waitFor();
    await card.getByRole('link', { name: 'README.md' }).waitFor();
    expect(await card.getByRole('link', { name: 'A page' }).getAttribute('href')).toBe(
      'https://example.com/',
    );
    expect(await card.getByRole('button', { name: 'Later' }).isDisabled()).toBe(true);
    await card.getByRole('button', { name: 'How?' }).click();
    await page.getByRole('button', { name: 'Quietly' }).click();
    await page.getByRole('button', { name: 'Loudly' }).click();
    expect(await page.getByRole('button', { name: 'Loudly', pressed: true }).count()).toBe(1);
    await page.keyboard.press('Escape');
    expect(await lookAt(page, 'chat-card')).toEqual([]);

    const id = await bot(sandbox, ['POST', channel], { body: { content: 'Wait ...' } });
    await page.getByText('Wait ...').waitFor();
    await bot(sandbox, ['PATCH', `${channel}/${id}`], { body: EMBED });
    const changed = visitor.message('A card of the first kind');
    await changed.getByText('(edited)').waitFor();
    expect(await changed.getByText('Wait ...').count()).toBe(0);
    expect(await changed.locator('dt').allInnerTexts()).toEqual(['Cost', 'Left this month', 'For everybody']);
    expect(
      await changed.locator('.embed').evaluate((found) => Number(Reflect.get(found, 'scrollWidth'))),
    ).toBeLessThan(560);
    expect(await lookAt(page, 'chat-embed')).toEqual([]);
    expect(visitor.errors).toEqual([]);
  });

  test('keeps the focus of a visitor who is at one of its buttons when it changes', async () => {
    const { sandbox, channel, visitor, page } = await visitGeneral();
    const buttons = (...names: readonly string[]) => ({
      content: 'What next?',
      components: [
        { type: 1, components: names.map((name) => ({ type: 2, style: 2, label: name, custom_id: name })) },
      ],
    });
    const id = await bot(sandbox, ['POST', channel], { body: buttons('First', 'Go') });
    await page.getByRole('button', { name: 'Go', exact: true }).focus();

    await bot(sandbox, ['PATCH', `${channel}/${id}`], { body: buttons('Second', 'Go on') });
    const goOn = page.getByRole('button', { name: 'Go on' });
    await goOn.waitFor();

    expect(await hasFocus(goOn)).toBe(true);
    expect(visitor.errors).toEqual([]);
  });
});
