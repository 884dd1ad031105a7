import { fileURLToPath } from 'node:url';
import { watchWire } from '../../base/wire-note.ts';
import type { ServerFaults } from '../../media-server/server-faults.ts';
import type { ChatPageOptions } from '../../sandbox/page/chat-page.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';

/** The options of the chat page. Its sample media exist only in the repository. */
export const CHAT_PAGE: ChatPageOptions = {
  samplesFolder: fileURLToPath(new URL('../../../test/samples/', import.meta.url)),
};

/**
 * Shows the wire notes of this process (see `noteWire`) on the chat page. If there is an embedded media server, it also
 * connects the page's buttons to that server's faults. Disposing the result stops the notes.
 */
export function connectChatPage(sandbox: Sandbox, faults: ServerFaults | null): Disposable {
  if (faults) {
    sandbox.connectFault('lose_webhook', {
      isOn: () => faults.losesNextWebhook,
      set: (on) => void (faults.losesNextWebhook = on),
    });
    sandbox.connectFault('no_capacity', {
      isOn: () => faults.isOutOfCapacity,
      set: (on) => void (faults.isOutOfCapacity = on),
    });
  }
  return watchWire((note) => sandbox.noteWire(note));
}
