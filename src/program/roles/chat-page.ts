import { fileURLToPath } from 'node:url';
import { watchWire } from '../../base/wire-note.ts';
import type { ServerFaults } from '../../media-server/server-faults.ts';
import type { ChatPageOptions } from '../../sandbox/page/chat-page.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';

/** Where the sample media of the chat page are, which only the repository has. */
export const CHAT_PAGE: ChatPageOptions = {
  samplesFolder: fileURLToPath(new URL('../../../test/samples/', import.meta.url)),
};

/**
 * Shows people on the chat page what goes over all the other wires of this process, and lets its buttons order faults
 * of the embedded media server, if there is one. Until disposed.
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
