import { expect, test } from 'vitest';
import { endsWell, expectHeard, speech, useFaultyTalk } from './use-faulty-voice.ts';

test('is heard although packets are corrupt or forged, and while the keys of the call change', async () => {
  const place = await useFaultyTalk();
  const { sandbox, hall, ada } = place;
  const faults = sandbox.faults.voiceIn(hall);
  const said = await speech(0, 3);

  faults.set({ corruptPercent: 5 });
  await expectHeard(place, said);
  faults.clear();
  faults.spoofNext(ada, 100);
  await expectHeard(place, said);
  const before = faults.encryption.epoch;
  const rekeying = faults.encryption.rekeyEvery(1_000);
  await expectHeard(place, said);
  rekeying[Symbol.dispose]();
  expect(faults.encryption.epoch).toBeGreaterThan(before + 3);
  await expectHeard(place, said);

  const sessions = await endsWell(place);
  expect(sessions.map(({ row }) => row.end_reason)).toEqual(['stopped']);
});
