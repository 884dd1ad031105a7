import { DAVESession, Networking, VoiceUDPSocket, VoiceWebSocket, version } from '@discordjs/voice';

/** The required version of the voice library, whose internal parts this folder uses. */
export const PINNED_VERSION = '0.19.2';

const METHODS = [
  [Networking, ['prepareAudioPacket', 'dispatchAudio', 'setSpeaking', 'destroy']],
  [VoiceWebSocket, ['onMessage']],
  [VoiceUDPSocket, ['send']],
  [DAVESession, ['recoverFromInvalidTransition', 'encrypt']],
] as const;

/** The facts about the installed library that are checked. */
interface InstalledLibrary {
  readonly version: string;
  /** Returns whether `owner`, a class, has the method. */
  has(owner: { readonly prototype: object; readonly name: string }, method: string): boolean;
}

const INSTALLED: InstalledLibrary = {
  version,
  has: ({ prototype }, method) => typeof Reflect.get(prototype, method) === 'function',
};

/**
 * Throws `TypeError` if another version of the library is installed, or if it lacks the expected internal parts. The
 * bot might receive no speech through such a library.
 */
export function assertLibrary(library: InstalledLibrary = INSTALLED): void {
  if (library.version !== PINNED_VERSION) {
    throw new TypeError(
      `Cannot use voice: @discordjs/voice is "${library.version}", not "${PINNED_VERSION}"`,
    );
  }
  for (const [owner, methods] of METHODS) {
    const missing = methods.find((method) => !library.has(owner, method));
    if (missing !== undefined) throw new TypeError(`Cannot use voice: ${owner.name} has no "${missing}"`);
  }
  if (!(Reflect.get(new DAVESession(0, '0', '0', {}), 'pendingTransitions') instanceof Map)) {
    throw new TypeError('Cannot use voice: DAVESession has no "pendingTransitions"');
  }
}
