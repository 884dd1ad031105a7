import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { type Socket, connect } from 'node:net';
import { once } from 'node:events';
import { serveLines } from '../../../src/base/children/serve-lines.ts';
import { systemErrorCode } from '../../../src/base/errors.ts';

/** The action that the child must take. If the system refuses it, the child responds with the system's error code. */
export type Deed =
  | { readonly do: 'echo'; readonly text: string }
  | { readonly do: 'name' }
  | { readonly do: 'environment' }
  | { readonly do: 'read'; readonly path: string }
  | { readonly do: 'write'; readonly path: string }
  | { readonly do: 'signal'; readonly pid: number }
  | { readonly do: 'connect'; readonly port: number }
  | { readonly do: 'fail' | 'allocate' | 'grow the heap' | 'spin' | 'hang' | 'exit' | 'flood' | 'babble' };

const NAME = randomUUID();

serveLines(async (given) => {
  const deed = given as Deed;
  try {
    return await answerTo(deed);
  } catch (error) {
    if (deed.do === 'fail' || deed.do === 'allocate') throw error;
    return systemErrorCode(error) ?? String(error);
  }
});

async function answerTo(deed: Deed): Promise<unknown> {
  switch (deed.do) {
    case 'echo':
      return deed.text;
    case 'name':
      return NAME;
    case 'environment':
      return Object.keys(process.env);
    case 'read':
      return (await readFile(deed.path)).length > 0 ? 'read' : 'empty';
    case 'write':
      await writeFile(deed.path, 'x');
      return 'written';
    case 'signal':
      return process.kill(deed.pid, 0) ? 'sent' : 'refused';
    case 'connect':
      return await connected(connect(deed.port, '127.0.0.1'));
    case 'fail':
    case 'allocate':
    case 'grow the heap':
    case 'spin':
    case 'hang':
    case 'exit':
    case 'flood':
    case 'babble':
      return await misbehave(deed.do);
  }
}

async function connected(socket: Socket): Promise<string> {
  await once(socket, 'connect');
  socket.destroy();
  return 'connected';
}

async function misbehave(how: string): Promise<unknown> {
  const kept: unknown[] = [];
  if (how === 'fail') throw new RangeError('Too much of it');
  if (how === 'exit') process.exit(3);
  if (how === 'flood') process.stdout.write('x'.repeat(10_000_000));
  if (how === 'babble') process.stdout.write('{"kind":"done"}\n');
  // oxlint-disable-next-line no-unmodified-loop-condition -- It runs until it is ended from outside.
  while (how === 'allocate') kept.push(Buffer.alloc(1 << 24, 1));
  // oxlint-disable-next-line no-unmodified-loop-condition -- It runs until it is ended from outside.
  while (how === 'grow the heap') kept.push(Array.from({ length: 10_000 }, () => ({})));
  // oxlint-disable-next-line no-unmodified-loop-condition, no-empty -- It runs until it is ended from outside.
  while (how === 'spin') {}
  return await new Promise(() => undefined);
}
