import type { VoiceWebSocket } from '@discordjs/voice';
import { readJson } from '../../../base/read-json.ts';

type MessageEvent = Parameters<VoiceWebSocket['onMessage']>[0];

interface SocketGuard {
  /** Whether an earlier connection is being resumed over this socket. */
  readonly isResuming: () => boolean;
  /** Called if a message could not be handled, so that its content is lost. */
  readonly onFault: (kind: 'json' | 'binary') => void;
  /** Called if more data arrived than can be legitimate, so that the connection must be abandoned. */
  readonly onFlood: () => void;
}

const MESSAGE_BYTES_MAX = 1024 * 1024;
const HELD_MAX = 256;
/** The opcodes of the messages that resume a connection: heartbeat acknowledgement, hello and resumed. */
const OF_RESUMING: ReadonlySet<unknown> = new Set([6, 8, 9]);

/**
 * Catches the errors that malformed messages cause in the library's message handler. Otherwise they would end the
 * process. While a connection is being resumed, the messages that the server sends again are held
 * back, in order. Otherwise the library, which ignores key messages in that state, would lack the call's keys.
 */
export function guardMessages(socket: VoiceWebSocket, guard: SocketGuard): void {
  const handle = socket.onMessage.bind(socket);
  const held: MessageEvent[] = [];
  const run = (event: MessageEvent): void => {
    try {
      handle(event);
    } catch {
      guard.onFault(typeof event.data === 'string' ? 'json' : 'binary');
    }
  };
  socket.onMessage = (event) => {
    if (sizeOf(event.data) > MESSAGE_BYTES_MAX || held.length > HELD_MAX) return guard.onFlood();
    if (guard.isResuming() && !isOfResuming(event.data)) {
      held.push(event);
      return;
    }
    run(event);
    while (!guard.isResuming()) {
      const next = held.shift();
      if (!next) return;
      run(next);
    }
  };
}

function sizeOf(data: unknown): number {
  if (typeof data === 'string') return data.length;
  return data instanceof ArrayBuffer || ArrayBuffer.isView(data) ? data.byteLength : 0;
}

function isOfResuming(data: unknown): boolean {
  if (typeof data !== 'string') return false;
  const parsed = readJson(data);
  return typeof parsed === 'object' && parsed !== null && 'op' in parsed && OF_RESUMING.has(parsed.op);
}
