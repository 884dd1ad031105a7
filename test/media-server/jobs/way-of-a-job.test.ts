import { createHmac } from 'node:crypto';
import sharp from 'sharp';
import { expect, test, vi } from 'vitest';
import { useReceiver } from '../use-receiver.ts';
import { useServer } from '../use-server.ts';

test('a photo swap goes from upload to a stored picture, a charge and a signed webhook', async () => {
  const { api, server } = await useServer();
  const receiver = await useReceiver();
  const body = await api.photoSwapBody();
  const submitted = await api.submit({ ...body, callback_url: receiver.url });
  expect(submitted).toEqual({
    id: expect.stringMatching(/^job_[a-z2-7]{32}$/),
    status: 'queued',
    status_url: `/api/v1/jobs/${submitted.id}`,
  });
  const job = await api.ended(submitted.id);
  expect(job).toEqual({
    id: submitted.id,
    status: 'succeeded',
    output_url: expect.stringContaining(`${server.baseUrl}/outputs/`),
    charged_usd: 0.04,
    error: null,
  });
  const output = await fetch(job.output_url ?? '');
  const image = await sharp(await output.arrayBuffer()).metadata();
  expect(image).toMatchObject({ format: 'jpeg', width: 32, height: 32 });
  await vi.waitFor(() => expect(receiver.received).toHaveLength(1));
  const [delivery] = receiver.received;
  const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(delivery?.headers['service-signature'])) ?? [];
  const expected = createHmac('sha256', server.signingSecret)
    .update(`${t}.`)
    .update(delivery?.raw ?? '')
    .digest('hex');
  expect(v1).toBe(expected);
  expect(delivery?.body.data).toMatchObject({ id: submitted.id, charged_usd: 0.04 });
});
