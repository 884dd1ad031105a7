import type { Session } from './session.ts';

/** All sessions by id. It notifies a listener when a session ends permanently. */
export class SessionTable extends Map<string, Session> {
  #ended: (session: Session) => void = () => undefined;

  /** Calls `listener` with each session that can never be resumed again. */
  onEnd(listener: (session: Session) => void): void {
    this.#ended = listener;
  }

  override delete(id: string): boolean {
    const session = this.get(id);
    const isDeleted = super.delete(id);
    if (session) this.#ended(session);
    return isDeleted;
  }
}
