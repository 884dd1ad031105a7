import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useFolder } from '../../../helpers/use-folder.ts';
import { sample } from '../use-engine.ts';
import { describeCodecs } from './describe-codecs.ts';
import { quarterColours, quarters } from './make-clip.ts';
import { pictureTimes } from './packets.ts';
import { SMALL, writeQuarters } from './write-quarters.ts';

const MAN = sample('talking-man-640x360.mp4');

describeCodecs((codec) => {
  test('colours and irregular times survive writing and reading', async () => {
    const path = join(await useFolder(), 'a.mp4');
    const times = [0, 0.04, 0.05, 0.3, 0.3333, 1.2];
    expect(await writeQuarters(codec(), path, times)).toBeCloseTo(1.24, 4);
    const read: number[] = [];
    for await (const { pixels, timestamp } of codec().readVideo(path)) {
      const colours = quarterColours(pixels);
      const wanted = quarterColours(quarters(64, 48, read.length));
      for (const [n, colour] of colours.flat().entries()) {
        expect(Math.abs(colour - (wanted.flat()[n] ?? 0))).toBeLessThanOrEqual(3);
      }
      read.push(timestamp);
    }
    expect(read).toHaveLength(times.length);
    for (const [n, at] of read.entries()) expect(at).toBeCloseTo(times[n] ?? 0, 3);
  });

  test('the pictures of a clip keep their exact values until they are read', async () => {
    const path = join(await useFolder(), 'a.mp4');
    await writeQuarters(codec(), path, [0, 0.04]);
    for await (const { planes } of codec().readVideo(path)) {
      const before = Uint8Array.from(planes.data);
      const copy = join(await useFolder(), 'b.mp4');
      await using writer = await codec().writeVideo({ path: copy, ...SMALL, sound: { from: 'nowhere' } });
      await writer.add(planes, 0, 0.04);
      await writer.finish();
      for await (const again of codec().readVideo(copy)) {
        expect(again.planes.colours).toEqual(planes.colours);
        const errors = again.planes.data.map((value, n) => Math.abs(value - (before[n] ?? 0)));
        expect(Math.max(...errors)).toBeLessThanOrEqual(6);
        break;
      }
      break;
    }
  });

  test('the index precedes the data, so that a clip plays while it loads', async () => {
    const path = join(await useFolder(), 'a.mp4');
    await writeQuarters(codec(), path, [0, 0.04, 0.08]);
    const bytes = await readFile(path);
    const index = bytes.indexOf('moov');
    expect(index).toBeGreaterThan(0);
    expect(index).toBeLessThan(bytes.indexOf('mdat'));
  });

  test('an unfinished writer leaves no clip', async () => {
    const path = join(await useFolder(), 'a.mp4');
    {
      await using writer = await codec().writeVideo({ path, ...SMALL, sound: { from: 'clip', path: MAN } });
      await writer.add(quarters(64, 48), 0, 0.04);
    }
    const size = await stat(path).then(
      ({ size: bytes }) => bytes,
      () => 0,
    );
    expect(size).toBe(0);
  });

  test('the times of a real clip are kept to the tick', async () => {
    const path = join(await useFolder(), 'a.mp4');
    await using writer = await codec().writeVideo({
      path,
      width: 160,
      height: 90,
      frameRate: 25,
      sound: { from: 'nowhere' },
    });
    for await (const { planes, timestamp, duration } of codec().readVideo(MAN, { shorterSide: 90 })) {
      await writer.add(planes, timestamp, duration);
    }
    await writer.finish();
    expect(await pictureTimes(path)).toEqual(await pictureTimes(MAN));
  });
});
