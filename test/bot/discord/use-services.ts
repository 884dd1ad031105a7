import type { CommandServices, OfferedVoice } from '../../../src/bot/discord/command.ts';
import type { DeskRefused, JobDesk } from '../../../src/bot/jobs/desk/desk-ports.ts';
import type { JobIntake } from '../../../src/bot/jobs/ports.ts';
import type { Consents, Faces, SavedFace } from '../../../src/bot/people/members/ports.ts';
import { only } from '../../helpers/only.ts';
import { BUDGET } from './use-intake.ts';

/** What commands may call, with an intake of the test: nobody has saved, picked or made anything. */
export function servicesOf(intake: JobIntake, changes: Partial<CommandServices> = {}): CommandServices {
  return {
    intake,
    faces: savedFaces([]),
    access: only({}),
    budgets: only({}),
    privacy: only({}),
    voices: { list: [] },
    voice: only({}),
    liveSwap: only({}),
    desk: emptyDesk(),
    operator: only({}),
    picks: { keep: () => Promise.resolve('pick_a'), find: () => Promise.resolve(undefined) },
    results: { ofJob: () => Promise.resolve(undefined), ofMessage: () => Promise.resolve(null) },
    fileLimits: {
      bytesMax: { image: 47_000_000, audio: 47_000_000, video: 524_000_000 },
      secondsMax: { audio: 600, video: 90 },
      megapixelsMax: 50,
    },
    budget: () => Promise.resolve(BUDGET),
    spending: only({}),
    overruns: only({}),
    charts: { draw: () => Promise.resolve(null) },
    consents: only<Consents>({
      mayUseAvatar: (_guildId, ownerId, byUserId) => Promise.resolve(ownerId === byUserId),
      neverSwapSinceMs: () => Promise.resolve(null),
    }),
    ...changes,
  };
}

/** A desk that knows of no job. */
export function emptyDesk(): JobDesk {
  const notFound = (): Promise<DeskRefused> => Promise.resolve({ outcome: 'refused', why: 'not_found' });
  return {
    list: (_origin, query) => Promise.resolve({ ...query, jobs: [], hasMore: false }),
    show: notFound,
    retry: notFound,
    cancel: notFound,
    confirm: notFound,
    remove: notFound,
    report: notFound,
  };
}

/** Saved faces of whoever asks; the first one is their default. */
export function savedFaces(named: readonly Pick<SavedFace, 'id' | 'name'>[]): Faces {
  const faces = named.map((face, index) => ({ ...face, isDefault: index === 0, savedAtMs: 0, sizeBytes: 1 }));
  return only<Faces>({
    suggest: (_userId, typed) =>
      Promise.resolve(
        faces.filter(({ name }) => name.includes(typed)).map(({ id, name }) => ({ name, value: id })),
      ),
    find: (_userId, wanted) =>
      Promise.resolve(faces.find(({ id, name }) => id === wanted || name === wanted) ?? null),
    default: () => Promise.resolve(faces[0] ?? null),
  });
}

/** A voice as the service describes it. */
export function aVoice(name: string, changes: Partial<OfferedVoice> = {}): OfferedVoice {
  return { id: `voice_${name}`, name, description: '', previewUrl: null, ...changes };
}
