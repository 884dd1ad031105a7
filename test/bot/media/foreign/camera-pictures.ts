import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Packages whose own tests contain photographs taken with cameras and phones by Apple, Canon, Nikon, Nokia, Sony and
 * Xiaomi.
 */
const FOLDERS = ['exif/test', 'exif-parser/test', 'jpeg-exif/test'];

/** Returns the paths of photographs that cameras and phones took. */
export async function cameraPictures(): Promise<readonly string[]> {
  const modules = join(import.meta.dirname, '../../../../node_modules');
  const folders = FOLDERS.map(async (folder) => {
    const names = await readdir(join(modules, folder));
    return names.filter((name) => /\.jpe?g$/i.test(name)).map((name) => join(modules, folder, name));
  });
  return (await Promise.all(folders)).flat().toSorted();
}
