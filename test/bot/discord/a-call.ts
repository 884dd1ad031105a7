import type { AttachedFile, CommandCall } from '../../../src/bot/discord/command.ts';
import { anOrigin } from '../../helpers/an-origin.ts';

/** The options that a member gives: numbers, strings and files. */
export type GivenOptions = Readonly<Record<string, string | number | AttachedFile>>;

/** Creates one use of a slash command with these options. */
export function aCall(options: GivenOptions, origin: Parameters<typeof anOrigin>[0] = {}): CommandCall {
  const entries = Object.entries(options);
  const of = <T>(fits: (value: unknown) => value is T): Map<string, T> =>
    new Map(entries.flatMap(([name, value]) => (fits(value) ? [[name, value] as const] : [])));
  return {
    origin: anOrigin(origin),
    subcommand: null,
    attachments: of((value): value is AttachedFile => typeof value === 'object'),
    texts: of((value): value is string => typeof value === 'string'),
    numbers: of((value): value is number => typeof value === 'number'),
    flags: new Map(),
  };
}

/** Creates an attached file with this name; the type that Discord reports follows from the extension. */
export function aFile(name: string, changes: Partial<AttachedFile> = {}): AttachedFile {
  const type = CONTENT_TYPES[name.split('.').at(-1) ?? ''] ?? null;
  return { url: `https://cdn.example/${name}`, sizeBytes: 1_000, contentType: type, ...changes };
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  png: 'image/png',
  mp4: 'video/mp4',
  wav: 'audio/wav',
  txt: 'text/plain; charset=utf-8',
};
