import type { OptionValues } from '../../../src/sandbox/script/command-data.ts';
import { sample } from '../../helpers/use-community.ts';
import type { FilmClub } from './film-club.ts';

const RENDER_MS_MAX = 120_000;

const DARK_HAIR = 'portrait-man-dark-hair.jpg';
const BROWN_HAIR = 'portrait-woman-brown-hair.jpg';
const CURLY_HAIR = 'portrait-woman-curly-hair.jpg';
const ELDERLY = 'portrait-man-elderly.jpg';
const WOMAN_TALKS = 'talking-woman-512.mp4';
const MAN_TALKS = 'talking-man-640x360.mp4';

interface Wish {
  /** Days between the previous command and this one. */
  readonly daysLater: number;
  readonly by: keyof FilmClub['members'];
  readonly command: string;
  /** The samples' file names, by command option. */
  readonly files: Readonly<Record<string, string>>;
  readonly rest?: OptionValues;
}

const WISHES: readonly Wish[] = [
  { daysLater: 0, by: 'ben', command: '/photo-swap', files: { image: ELDERLY, face: CURLY_HAIR } },
  { daysLater: 1, by: 'mei', command: '/photo-swap', files: { image: DARK_HAIR, face: BROWN_HAIR } },
  { daysLater: 0, by: 'mei', command: '/lip-sync', files: { video: MAN_TALKS, audio: 'speech-man-48k.wav' } },
  { daysLater: 2, by: 'chloe', command: '/video-swap', files: { video: WOMAN_TALKS, face: ELDERLY } },
  {
    daysLater: 1,
    by: 'walter',
    command: '/avatar',
    files: { image: ELDERLY },
    rest: { script: 'Good evening, and welcome to the film club. Tonight we show what we made.' },
  },
  { daysLater: 1, by: 'ada', command: '/photo-swap', files: { image: BROWN_HAIR, face: DARK_HAIR } },
  {
    daysLater: 3,
    by: 'ben',
    command: '/lip-sync',
    files: { video: WOMAN_TALKS, audio: 'speech-woman-16k.wav' },
  },
  { daysLater: 0, by: 'chidi', command: '/video-swap', files: { video: MAN_TALKS, face: DARK_HAIR } },
  { daysLater: 2, by: 'chloe', command: '/photo-swap', files: { image: CURLY_HAIR, face: BROWN_HAIR } },
  { daysLater: 1, by: 'walter', command: '/video-swap', files: { video: WOMAN_TALKS, face: CURLY_HAIR } },
];

/** Runs the club's commands in the first half of a month. */
export async function playFirstHalf(club: FilmClub): Promise<void> {
  const set = { in: club.channels.moderators, options: { amount: '5', period: 'month' } };
  await (await club.members.ada.runs('/budget set', set)).replied();
  for (const { daysLater, by, command, files, rest } of WISHES) {
    club.laterBy({ days: daysLater });
    const given = await Promise.all(
      Object.entries(files).map(async ([option, name]) => [option, await sample(name)] as const),
    );
    const options = { ...Object.fromEntries(given), ...rest };
    const use = await club.members[by].runs(command, { in: club.channels.clips, options });
    await use.replyWhere(({ attachments }) => attachments.length > 0, { timeoutMs: RENDER_MS_MAX });
  }
  club.laterBy({ days: 3 });
}
