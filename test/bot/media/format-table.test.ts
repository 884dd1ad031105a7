import { createHash } from 'node:crypto';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { sniffFile } from '../../../src/base/media-type.ts';
import { admit } from '../../../src/bot/media/admit.ts';
import { FORMATS } from '../../../src/bot/media/formats.ts';
import { markFile } from '../../../src/bot/media/marks/mark-file.ts';
import { useFolder } from '../../helpers/use-folder.ts';
import { cameraPictures } from './foreign/camera-pictures.ts';
import { type Tags, readTags, writeTags } from './foreign/exiftool.ts';
import { SAMPLES } from './foreign/format-samples.ts';
import { LIMITS, SECRET, containsWords } from './use-media.ts';

const NEVER = new AbortController().signal;
const TRAINED = 'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia';
/** Tags of every kind that ExifTool can write. Each file gets the tags that its format supports. */
const PERSONAL = [
  'IFD0:Make=Secret',
  'IFD0:Model=Secret',
  'IFD0:Artist=Secret',
  'IFD0:Copyright=Secret',
  'ExifIFD:DateTimeOriginal=2020:02:02 02:02:02',
  'ExifIFD:SerialNumber=Secret',
  'ExifIFD:UserComment=Secret',
  'GPS:GPSLatitude=48.8584',
  'GPS:GPSLatitudeRef=N',
  'GPS:GPSLongitude=2.2945',
  'GPS:GPSLongitudeRef=E',
  'IPTC:Keywords=Secret',
  'XMP-dc:Creator=Secret',
  'XMP-photoshop:City=Secret',
  'PNG:Comment=Secret',
  'PNG:CreationTime=2020:02:02 02:02:02',
  'File:Comment=Secret',
  'Keys:Make=Secret',
  'Keys:GPSCoordinates=48.8584, 2.2945, 10',
  'UserData:GPSCoordinates=48.8584, 2.2945, 10',
  'UserData:Author=Secret',
  'ItemList:Title=Secret',
  'QuickTime:CreateDate=2020:02:02 02:02:02',
  'QuickTime:ModifyDate=2020:02:02 02:02:02',
  'QuickTime:TrackCreateDate=2020:02:02 02:02:02',
  'QuickTime:TrackModifyDate=2020:02:02 02:02:02',
  'QuickTime:MediaCreateDate=2020:02:02 02:02:02',
  'QuickTime:MediaModifyDate=2020:02:02 02:02:02',
];

/** Formats that ExifTool can write. Samples in other formats have only the metadata that they were created with. */
const WRITABLE = new Set(['jpg', 'png', 'apng', 'webp', 'gif', 'mp4', 'm4v', 'mov', '3gp', 'm4a', 'm4b']);
/** Tags that describe the position and size of a file's parts, not their content. */
const LAYOUT =
  /^(System|ExifTool|Composite):|^SourceFile$|Offset|Size$|Unknown_free|:Free$|File:FileType$|WebP_Flags$|:MediaData$/;
/** The tags that a photograph may keep, because programs need them to read and rotate its pixels. */
const READING =
  /^File:|^JFIF:(JFIFVersion|ResolutionUnit|[XY]Resolution)$|^ICC[-_]|^IFD0:Orientation$|^Adobe:|^APP14:/;

async function sampleAt(extension: string): Promise<string> {
  const path = join(await useFolder(), `sample.${extension}`);
  const make = SAMPLES[extension];
  if (!make) throw new TypeError(`There is no sample of ${extension}`);
  await writeFile(path, await make());
  return path;
}

async function cleaned(path: string): Promise<void> {
  const type = await sniffFile(path);
  if (!type) throw new TypeError('The sample is of no known type');
  await admit(path, type.kind, LIMITS, NEVER);
}

function contentOf(tags: Tags | undefined): Tags {
  return Object.fromEntries(Object.entries(tags ?? {}).filter(([name]) => !LAYOUT.test(name)));
}

function personalOf(tags: Tags | undefined): string[] {
  return Object.entries(contentOf(tags)).flatMap(([name, value]) => {
    const text = String(value);
    const isDate = /Date/.test(name) && !text.startsWith('0000');
    return isDate || /Secret|48\.85|2020/.test(text) || text.includes(SECRET) ? [name] : [];
  });
}

/** Returns the path of a sample in each of these formats. */
async function samplesOf(extensions: readonly string[]): Promise<readonly string[]> {
  return Promise.all(extensions.map(sampleAt));
}

const ALL = [...FORMATS.keys()];

test('there is a sample of every supported format, and its bytes match the format', async () => {
  expect(Object.keys(SAMPLES).toSorted()).toEqual(ALL.toSorted());
  const types = await Promise.all((await samplesOf(ALL)).map(sniffFile));
  expect(types.map((type) => type?.extension)).toEqual(ALL);
});

test('an admitted file of any format has no personal metadata for a reader that knows more places', async () => {
  const tagged = await samplesOf(ALL);
  const plain = await samplesOf(ALL);
  const writable = tagged.filter((_path, at) => WRITABLE.has(ALL[at] ?? ''));
  await writeTags(writable, PERSONAL);
  for (const tags of await readTags(writable)) expect(personalOf(tags).length).toBeGreaterThan(2);

  for (const path of [...tagged, ...plain]) await cleaned(path);

  const told = await readTags(tagged);
  const wanted = await readTags(plain);
  for (const [at, format] of ALL.entries()) {
    expect({ format, personal: personalOf(told[at]) }).toEqual({ format, personal: [] });
    expect({ format, ...contentOf(told[at]) }).toEqual({ format, ...contentOf(wanted[at]) });
    const bytes = await readFile(tagged[at] ?? '');
    expect({ format, isPersonal: containsWords(bytes, 'Secret') || containsWords(bytes) }).toEqual({
      format,
      isPersonal: false,
    });
  }
});

test('a picture or clip of any format is marked as AI-made, and another reader finds the mark', async () => {
  const formats = ALL.filter((extension) => FORMATS.get(extension)?.kind !== 'audio');
  const paths = await samplesOf(formats);
  for (const [at, path] of paths.entries()) {
    const type = await sniffFile(path);
    const mark = { mime: type?.mime ?? '', type: 'trainedAlgorithmicMedia' } as const;
    expect({ format: formats[at], marked: await markFile(path, mark, NEVER) }).toEqual({
      format: formats[at],
      marked: 'marked',
    });
    expect(await sniffFile(path)).toEqual(type);
  }
  for (const [at, tags] of (await readTags(paths)).entries()) {
    expect({ format: formats[at], values: Object.values(tags) }).toEqual({
      format: formats[at],
      values: expect.arrayContaining([TRAINED]),
    });
  }
});

test('photographs of real cameras and phones keep their pixels and how to read them, and nothing else', async () => {
  const folder = await useFolder();
  const pictures = await cameraPictures();
  const copies = pictures.map((path, at) => join(folder, `${at}-${basename(path)}`));
  await Promise.all(pictures.map((path, at) => copyFile(path, copies[at] ?? '')));
  const before = await readTags(copies);
  expect(
    before.filter((tags) => Object.keys(tags).some((name) => name.startsWith('GPS:'))).length,
  ).toBeGreaterThan(3);
  expect(before.some((tags) => Object.keys(tags).some((name) => name.startsWith('MPImage')))).toBe(true);

  for (const path of copies) await cleaned(path);

  const after = await readTags(copies);
  for (const [at, tags] of after.entries()) {
    const rest = Object.keys(contentOf(tags)).filter((name) => !READING.test(name));
    expect({ name: basename(pictures[at] ?? ''), rest }).toEqual({
      name: basename(pictures[at] ?? ''),
      rest: [],
    });
    expect(await pixelsOf(copies[at] ?? '')).toEqual(await pixelsOf(pictures[at] ?? ''));
  }
});

async function pixelsOf(path: string): Promise<unknown> {
  const { data, info } = await sharp(path).autoOrient().raw().toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  return { width, height, sha256: createHash('sha256').update(data).digest('hex') };
}
