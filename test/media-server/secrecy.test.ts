import { expect, test, vi } from 'vitest';
import { ApiClient } from './api-client.ts';
import { picture } from './test-engine.ts';
import { useReceiver } from './use-receiver.ts';
import { useDatabase } from './use-database.ts';
import { useServer } from './use-server.ts';
import { recordingLogger } from '../helpers/recording-logger.ts';

test('the log never contains keys, secrets, links or file names, whatever fails', async () => {
  const lines: string[] = [];
  const { api, server, dataDir } = await useServer({ logger: recordingLogger(lines) });
  const receiver = await useReceiver((response) => response.writeHead(500).end());
  const upload = await api.upload(await picture(1), 'image/png', 'canary-name.png');
  const { file_key } = upload.json as { file_key: string };
  const broken = (await api.upload(Buffer.from('bad'))).json as { file_key: string };
  const callback_url = `${receiver.url}/canary-path?token=canary-query`;
  const good = await api.submit({ image_key: file_key, face_key: file_key, callback_url });
  const bad = await api.submit({ image_key: file_key, face_key: broken.file_key, callback_url });
  const link = new URL((await api.ended(good.id)).output_url ?? '');
  await api.ended(bad.id);
  await vi.waitFor(() => expect(receiver.received).toHaveLength(2));
  await new ApiClient(server.baseUrl, 'mk_canary_wrong_key').get('/balance');
  const database = useDatabase(dataDir);
  database.exec("CREATE TRIGGER fault BEFORE INSERT ON jobs BEGIN SELECT RAISE(ABORT, 'fault'); END");
  expect((await api.post('/face-swap-image', { image_key: file_key, face_key: file_key })).status).toBe(500);
  const log = lines.join('\n');
  expect(log).toContain('A file could not be used');
  expect(log).toContain('A request failed');
  const signature = link.searchParams.get('signature') ?? '-';
  for (const secret of [server.apiKey, server.signingSecret, signature, 'canary']) {
    expect(log.includes(secret)).toBe(false);
  }
});
