import type { CommandServices, OfferedVoice, SavedFaceChoice } from '../../src/discord/command.ts';
import type { DeskRefused, JobDesk } from '../../src/jobs/desk/desk-ports.ts';
import type { JobIntake } from '../../src/jobs/ports.ts';
import { BUDGET } from './use-intake.ts';

/** What commands may call, with an intake of the test: nobody has saved, picked or made anything. */
export function servicesOf(intake: JobIntake, changes: Partial<CommandServices> = {}): CommandServices {
  return {
    intake,
    faces: savedFaces([]),
    voices: { list: [] },
    desk: emptyDesk(),
    picks: { keep: () => Promise.resolve('pick_a'), find: () => Promise.resolve(undefined) },
    results: { ofJob: () => Promise.resolve(undefined), ofMessage: () => Promise.resolve(null) },
    fileLimits: {
      bytesMax: { image: 47_000_000, audio: 47_000_000, video: 524_000_000 },
      megapixelsMax: 50,
    },
    budget: () => Promise.resolve(BUDGET),
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
    remove: notFound,
    report: notFound,
  };
}

/** Saved faces of whoever asks; the first one is their default. */
export function savedFaces(faces: readonly SavedFaceChoice[]): CommandServices['faces'] {
  return {
    suggest: (_userId, typed) =>
      Promise.resolve(
        faces.filter(({ name }) => name.includes(typed)).map(({ id, name }) => ({ name, value: id })),
      ),
    find: (_userId, wanted) =>
      Promise.resolve(faces.find(({ id, name }) => id === wanted || name === wanted) ?? null),
    default: () => Promise.resolve(faces[0] ?? null),
  };
}

/** A voice as the service describes it. */
export function aVoice(name: string, changes: Partial<OfferedVoice> = {}): OfferedVoice {
  return { id: `voice_${name}`, name, description: '', previewUrl: null, ...changes };
}
