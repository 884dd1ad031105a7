import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SessionError } from '../../../../src/bot/sessions/session-error.ts';
import { VoiceDeskError } from '../../../../src/bot/sessions/voice-swap/desk/voice-desk-error.ts';
import { ADA, BEN, by, nova, oak, useStarted } from './use-desk.ts';

type Started = Awaited<ReturnType<typeof useStarted>>;

/** Something that members, moderators, Discord or the service do during a session. */
type Act =
  | { readonly kind: 'speaks' | 'leaves' | 'is_muted' | 'is_unmuted'; readonly userId: string }
  | { readonly kind: 'joins'; readonly userId: string; readonly voiceId: string }
  | { readonly kind: 'breaks' | 'is_restored' | 'loses_line' | 'refuses_lines' | 'opens_lines' };

const userId = fc.constantFrom(ADA, BEN);
const acts: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('speaks'), userId }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('joins'), userId, voiceId: fc.constantFrom(nova.id, oak.id) }),
  },
  fc.record({ kind: fc.constantFrom('leaves', 'is_muted', 'is_unmuted'), userId }),
  fc.record({
    kind: fc.constantFrom(
      'breaks',
      'is_restored',
      'is_restored',
      'loses_line',
      'refuses_lines',
      'opens_lines',
    ),
  }),
);
const courses = fc.array(fc.tuple(acts, fc.constantFrom(0, 10, 2_500, 65_000)), { maxLength: 25 });

async function perform(act: Act, { desk, connector, lines, sound, sessionId }: Started): Promise<void> {
  const { channel } = connector;
  switch (act.kind) {
    case 'speaks':
      return sound().speaks(act.userId);
    case 'joins': {
      const joined = await desk.join(by(act.userId), { voiceId: act.voiceId });
      if (joined.kind === 'ask') await desk.agree(by(act.userId), sessionId);
      return undefined;
    }
    case 'leaves':
      await desk.leave(by(act.userId));
      return undefined;
    case 'is_muted':
    case 'is_unmuted':
      return channel.silences(act.userId, act.kind === 'is_muted');
    case 'breaks':
      return channel.tell({ kind: 'interrupted' });
    case 'is_restored':
      return channel.tell({ kind: 'restored' });
    case 'loses_line':
      return lines.running[0]?.ends({ kind: 'lost', code: 1006 });
    case 'refuses_lines':
    case 'opens_lines':
      lines.refusal = act.kind === 'refuses_lines' ? new SessionError('no_capacity') : null;
      return undefined;
    default:
      return act satisfies never;
  }
}

/** Ignores a refusal, for example because members join more often than allowed. */
function toleratesRefusal(error: unknown): void {
  if (!(error instanceof VoiceDeskError)) throw error;
}

/** Expects that every open line belongs to a participant who is not muted, in a connected session. */
async function expectLinesToBeDue({ desk, connector, lines }: Started): Promise<void> {
  const view = await desk.status('3');
  const owners = lines.running.map(({ request }) => request.userId);
  if (view?.phase.kind !== 'on') expect(owners).toEqual([]);
  for (const owner of owners) {
    expect(view?.speakers.find((one) => one.userId === owner)?.state.kind).toBe('live');
    expect(connector.channel.members.find((one) => one.userId === owner)?.isSilenced).toBe(false);
    // A participant may have up to three lines while the current one is being replaced.
    expect(owners.filter((other) => other === owner).length).toBeLessThanOrEqual(3);
  }
}

test('has no paid line open that nobody may use, whatever happens, and none after its end', async () => {
  await fc.assert(
    fc.asyncProperty(courses, async (course) => {
      const place = await useStarted({ minutes: 120 });
      const { clock, desk, lines, sound } = place;
      for (const [act, passedMs] of course) {
        await perform(act, place).catch(toleratesRefusal);
        await expectLinesToBeDue(place);
        await clock.advance(passedMs);
        await expectLinesToBeDue(place);
      }

      const stopping = desk.stop(by(ADA));
      expect(lines.running).toEqual([]);
      await clock.advance(20_000);
      await stopping;
      sound().speaks(ADA);
      await clock.advance(1_000);
      expect(lines.running).toEqual([]);
    }),
    { numRuns: 30 },
  );
});
