import { expect, test } from 'vitest';
import { parseUsd } from '../../../../src/base/money.ts';
import type { MessageView } from '../../../../src/sandbox/script/message-view.ts';
import { useOperator } from '../../people/operator/use-operator.ts';
import { sample } from '../../../helpers/use-community.ts';

const LONG = { timeoutMs: 60_000 };

test('a charge far above its hold is shown on its card, makes the next job wait for a review, and is listed with its cause', async () => {
  const place = await useOperator();
  const { ada, guild, general, office, media } = place;
  const image = await sample('portrait-man-dark-hair.jpg');
  media.admin.setRate('photo_swap', {
    rate: parseUsd('1'),
    minimum: parseUsd('1'),
    hold: parseUsd('0.06'),
  });

  const first = await place.swaps();
  expect(first.text).toContain('**$0.06** was set aside for this, and the service charged **$1.00**.');
  expect(first.text).toContain('The budget counts what was charged.');
  const alert = await office.messageWhere((message) => message.text.includes('far above'), LONG);
  expect(alert.text).toContain(`in server \`${guild.id}\``);

  const use = await ada.runs('/photo-swap', { in: general, options: { image, face: image } });
  const waiting = await use.replyWhere((message) => message.text.includes('waits for a review'), LONG);
  expect(waiting.text).toContain('**$1.00**');
  const own = await ada.presses('Reviewed: go on', { on: waiting });
  expect((await own.replied()).text).toContain('Only members who may manage the server');

  const listed = await (await guild.owner.runs('/spend overruns', { in: general })).replied();
  expect(listed.text).toContain('New jobs of these members wait for your review');
  expect(listed.text).toContain(`${ada.mention}, Photo Swap: **$1.00** charged, $0.06 was set aside`);
  expect(listed.text).toContain('the service changed its price');
  expect((await place.operates('overruns')).text).toContain(`server \`${guild.id}\``);

  const looked = await guild.owner.presses('Reviewed: go on', { on: waiting });
  expect((await looked.replied()).text).toContain('start again');
  const done = await use.replyWhere((message: MessageView) => message.attachments.length === 1, LONG);
  expect(done.text).toContain('Photo Swap');
}, 180_000);

test('the operator can release a member from any server', async () => {
  const place = await useOperator();
  const { ada, guild, general, media } = place;
  const rate = { rate: parseUsd('1'), minimum: parseUsd('1'), hold: parseUsd('0.06') };
  media.admin.setRate('photo_swap', rate);
  await place.swaps();
  const member = `${guild.id}/${ada.id}`;

  expect((await place.operates('release', { member })).text).toContain('start again');
  expect((await place.operates('release', { member })).text).toContain('No jobs of that member wait');
  const list = await (await guild.owner.runs('/spend overruns', { in: general })).replied();
  expect(list.text).not.toContain('wait for your review');
  expect(list.text).toContain('**$1.00** charged');
}, 180_000);
