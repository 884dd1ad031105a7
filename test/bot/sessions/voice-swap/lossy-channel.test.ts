import { expect, test } from 'vitest';
import { endsWell, expectHeard, speech, useFaultyTalk } from './use-faulty-voice.ts';

test('is heard word by word although packets are lost or late', async () => {
  const place = await useFaultyTalk();
  const faults = place.sandbox.faults.voiceIn(place.hall);
  const said = await speech(0, 3);

  for (const fault of [
    { lossPercent: 5 },
    { lossPercent: 15 },
    { jitterMs: 60 },
    { lossPercent: 5, reorderPercent: 10, duplicatePercent: 10 },
  ]) {
    faults.set(fault);
    await expectHeard(place, said);
    faults.clear();
  }

  const sessions = await endsWell(place);
  expect(sessions.map(({ row }) => row.end_reason)).toEqual(['stopped']);
});
