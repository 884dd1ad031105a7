import { expect, test } from 'vitest';
import { recordingLogger } from '../../helpers/recording-logger.ts';
import { ApiClient } from '../api-client.ts';
import { useConsole } from './use-console.ts';

test('no password, token, key or secret is in the log, the lists or the metrics', async () => {
  const lines: string[] = [];
  const { client, server, password } = await useConsole({ logger: recordingLogger(lines) });
  const text = (): string => lines.join('\n');
  const accountId = server.admin.listAccounts()[0]?.id ?? '';
  await client.logIn('not-the-password');
  const made = await client.execute({ verb: 'create_key', accountId, name: 'Bot', requestsPerMinute: '60' });
  const shown = await client.execute({ verb: 'rotate_secret', accountId, overlapMinutes: '0' });
  const changed = await client.execute({ verb: 'new_password' });
  await client.refused({ verb: 'top_up', accountId, dollars: 'not-an-amount' });
  const { text: metrics } = await new ApiClient(server.baseUrl).get(`${client.origin}/metrics`);
  const state = JSON.stringify(await client.state());
  expect(text()).toContain('/console/api/verbs');
  const token = client.cookie.split('=')[1];
  const secrets = [
    password,
    'not-the-password',
    made.secret,
    shown.secret,
    changed.secret,
    token,
    'not-an-amount',
  ];
  for (const secret of secrets) {
    expect(secret?.length).toBeGreaterThan(10);
    for (const place of [text(), metrics, state]) expect(place).not.toContain(secret);
  }
});
