import { type Clock, withDeadline } from '../../../../base/clock.ts';
import { joinRefusal } from './refusal.ts';
import { SessionPlaces } from './session-places.ts';
import type { VoiceConnector, VoicePlace } from '../voice-connector.ts';
import type { VoiceEndpoint } from '../voice-endpoint.ts';

/** The channel in which a session listens and, if it plays in a different one, that channel. */
export interface Where {
  readonly place: VoicePlace;
  readonly stage: VoicePlace | null;
}

export interface JoinPlacesOptions {
  readonly connector: VoiceConnector;
  /** The connector of the second bot user, which plays in the stage channel; null if there is none. */
  readonly stageConnector: VoiceConnector | null;
  readonly clock: Clock;
}

const JOIN_DEADLINE_MS = 15_000;

/** Joins both channels or neither, within one deadline. Throws `VoiceDeskError`. */
export async function joinPlaces(
  { place, stage }: Where,
  { connector, stageConnector, clock }: JoinPlacesOptions,
  signal: AbortSignal,
): Promise<SessionPlaces> {
  const deadlineMs = clock.monotonic() + JOIN_DEADLINE_MS;
  const join = (by: VoiceConnector, to: VoicePlace): Promise<VoiceEndpoint> =>
    withDeadline(clock, Math.max(1, deadlineMs - clock.monotonic()), (inTime) => by.join(to, inTime), signal);
  let booth: VoiceEndpoint | undefined;
  try {
    booth = await join(connector, place);
    const second = stage && stageConnector ? await join(stageConnector, stage) : null;
    return new SessionPlaces(booth, second);
  } catch (error) {
    await booth?.[Symbol.asyncDispose]();
    throw joinRefusal(error);
  }
}
