import { readFile, writeFile } from 'node:fs/promises';

/**
 * Cuts off the first `seconds` of the video in the MP4 at `path` with an edit list, as cameras and editors do to cut
 * without re-encoding. The index must be at the end of the file.
 */
export async function cutStart(path: string, seconds: number): Promise<void> {
  const file = await readFile(path);
  const media = file.indexOf('mdhd');
  const edts = Buffer.alloc(36);
  edts.writeUInt32BE(36, 0);
  edts.write('edts', 4, 'latin1');
  edts.writeUInt32BE(28, 8);
  edts.write('elst', 12, 'latin1');
  edts.writeUInt32BE(1, 20);
  edts.writeUInt32BE(
    movieTicks(file) - Math.round(seconds * file.readUInt32BE(file.indexOf('mvhd') + 16)),
    24,
  );
  edts.writeUInt32BE(Math.round(seconds * file.readUInt32BE(media + 16)), 28);
  edts.writeUInt32BE(0x10000, 32);
  const header = file.indexOf('tkhd') - 4;
  const at = header + file.readUInt32BE(header);
  for (const parent of ['moov', 'trak']) {
    const start = file.lastIndexOf(parent, header) - 4;
    file.writeUInt32BE(file.readUInt32BE(start) + edts.length, start);
  }
  await writeFile(path, Buffer.concat([file.subarray(0, at), edts, file.subarray(at)]));
}

function movieTicks(file: Buffer): number {
  return file.readUInt32BE(file.indexOf('mvhd') + 20);
}
