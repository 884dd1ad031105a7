import sharp from 'sharp';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createMasquerade } from '../../../../src/compose/create-masquerade.ts';
import type { StepEvent } from '../../../../src/bot/jobs/run/worker.ts';
import type { MessageView } from '../../../../src/sandbox/script/message-view.ts';
import { type Community, sample, useCommunity } from '../../../helpers/use-community.ts';
import { ShiftedClock } from '../../../helpers/shifted-clock.ts';

const COMPOSITE = 'digitalsourcetype/compositeWithTrainedAlgorithmicMedia';

/** Waits until Ada's result is on its card. */
async function swapped(
  { ada, general }: Pick<Community, 'ada' | 'general'>,
  shows = (message: MessageView): boolean => message.text.includes('made for'),
): Promise<MessageView> {
  const options = {
    image: await sample('no-face-landscape.jpg'),
    face: await sample('portrait-woman-brown-hair.jpg'),
  };
  const use = await ada.runs('/photo-swap', { in: general, options });
  return use.replyWhere(shows);
}

/**
 * Creates a community, and `settled`, which waits until `count` jobs are settled. If a bot stops before that, it
 * continues those jobs when it starts again.
 */
async function useSettling(): Promise<{ community: Community; settled: (count: number) => Promise<void> }> {
  let count = 0;
  const onStep = ({ stage, moment }: StepEvent): void => {
    if (stage === 'posted' && moment === 'recorded') count += 1;
  };
  const community = await useCommunity({ bot: { onStep } });
  return {
    community,
    settled: async (wanted) => await expect.poll(() => count, { timeout: 15_000 }).toBe(wanted),
  };
}

function linkOf(card: MessageView): string {
  const [row] = card.components as readonly { components: readonly { url?: string }[] }[];
  const url = row?.components.find((button) => button.url !== undefined)?.url;
  if (url === undefined) throw new Error('The card has no link');
  return url;
}

describe('a result', () => {
  test('says in its metadata that a model made parts of it', async () => {
    const card = await swapped(await useCommunity());

    const { xmp } = await sharp(card.attachments[0]?.bytes()).metadata();

    expect(xmp?.toString('utf8')).toContain(COMPOSITE);
  });

  test('that is too large is posted smaller, with a link to the full result', async () => {
    const community = await useCommunity();
    const small = community.sandbox.addGuild('Small place', { attachmentSizeLimitBytes: 45_000 });
    const general = small.addTextChannel('general');
    const ada = small.addMember('Ada');

    const card = await swapped({ ada, general });

    const posted = card.attachments[0];
    expect(card.text).toContain('made smaller');
    expect(posted?.size).toBeLessThanOrEqual(45_000);
    expect((await sharp(posted?.bytes()).metadata()).xmp?.toString('utf8')).toContain(COMPOSITE);
    const answer = await fetch(linkOf(card));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('image/jpeg');
    expect(Number(answer.headers.get('content-length'))).toBeGreaterThan(45_000);
    await answer.arrayBuffer();
  });

  test('that cannot be made small enough is a link, which /jobs show renews', async () => {
    const community = await useCommunity();
    const tiny = community.sandbox.addGuild('Tiny place', { attachmentSizeLimitBytes: 24_000 });
    const general = tiny.addTextChannel('general');
    const ada = tiny.addMember('Ada');

    const card = await swapped({ ada, general });

    expect(card.attachments).toEqual([]);
    expect(card.text).toContain('larger than Discord lets a bot post here');
    expect(JSON.stringify(card.toJSON())).not.toContain(new URL(community.media.baseUrl).host);
    expect((await fetch(linkOf(card), { method: 'HEAD' })).status).toBe(200);
    const [job] = await ada.completes('/jobs show', { in: general, option: 'job', typed: '' });
    const shown = await ada.runs('/jobs show', { in: general, options: { job: String(job?.['value']) } });
    const reply = await shown.replied();
    expect(reply.flags.ephemeral).toBe(true);
    expect((await fetch(linkOf(reply), { method: 'HEAD' })).status).toBe(200);
  });
});

describe('the buttons of a card', () => {
  test('start a retry after a restart of the bot', async () => {
    const { community, settled } = await useSettling();
    const card = await swapped(community);
    await settled(1);
    await community.bot[Symbol.asyncDispose]();
    const bot = await createMasquerade(community.botOptions);
    onTestFinished(() => bot[Symbol.asyncDispose]());

    const use = await community.ada.presses('Retry', { on: card });
    const again = await use.replyWhere((message) => message.attachments.length === 1);

    expect(again.id).not.toBe(card.id);
    expect(again.text).toContain('$9.92 of $10.00');
    expect(community.general.messages).toHaveLength(2);
    expect(community.engine.begun).toHaveLength(2);
  });

  test('delete after 31 days, and leave no message and no file', async () => {
    const { community, settled } = await useSettling();
    const card = await swapped(community);
    await settled(1);
    await community.bot[Symbol.asyncDispose]();
    const clock = new ShiftedClock();
    clock.shift(31 * 86_400_000);
    const bot = await createMasquerade({ ...community.botOptions, clock });
    onTestFinished(() => bot[Symbol.asyncDispose]());

    const use = await community.ada.presses('Delete', { on: card });
    const reply = await use.replied();

    expect(reply.text).toContain('Its message and its files are gone.');
    expect(reply.flags.ephemeral).toBe(true);
    expect(card.deleted).toBe(true);
  });

  test('only explain themselves to other members, and let moderators delete', async () => {
    const community = await useCommunity();
    const { guild } = community;
    const card = await swapped(community);
    const eve = guild.addMember('Eve');
    const moderator = guild.addMember('Mo');
    moderator.hasRoles(guild.addRole('Moderators', 'MANAGE_MESSAGES'));

    for (const button of ['Retry', 'Delete']) {
      const use = await eve.presses(button, { on: card });
      const reply = await (button === 'Retry' ? use.followUpWhere(() => true) : use.replied());
      expect(reply.text).toContain('Only whoever asked for this, or a moderator, can do that.');
      expect(reply.flags.ephemeral).toBe(true);
    }
    expect(card.deleted).toBe(false);
    expect(community.engine.begun).toHaveLength(1);

    await (await moderator.presses('Delete', { on: card })).replied();
    expect(card.deleted).toBe(true);
  });

  test('report a result to the moderators once, who delete it from there', async () => {
    const community = await useCommunity();
    const reports = community.guild.addTextChannel('reports');
    const options = { channel: reports };
    const chosen = await community.guild.owner.runs('/access reports', { in: community.general, options });
    await chosen.replied();
    const card = await swapped(community);
    const eve = community.guild.addMember('Eve');

    const first = await (await eve.presses('Report', { on: card })).replied();
    const second = await (await eve.presses('Report', { on: card })).replied();

    expect(first.text).toContain('Thank you');
    expect(second.text).toContain('reported this already');
    expect(reports.messages).toHaveLength(1);
    expect(reports.messages[0]?.text).toContain('A result was reported');
    expect(reports.messages[0]?.mentions).toEqual([]);
  });

  test('cancel at the service honestly: the job continues, is billed, and nobody sees its result', async () => {
    const community = await useCommunity();
    community.engine.pause();
    const card = await swapped(community, (message) => message.text.includes('The service is working on it'));
    await expect.poll(() => community.engine.begun.length).toBe(1);

    const reply = await (await community.ada.presses('Cancel', { on: card })).replied();
    community.engine.release();

    expect(reply.text).toContain('runs to its end there and is billed');
    await expect.poll(() => card.text, { timeout: 15_000 }).toContain('This was cancelled');
    expect(card.text).toContain('This cost $0.04');
    expect(card.attachments).toEqual([]);
  });
});
