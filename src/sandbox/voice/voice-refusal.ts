/** Why a client is not let in. */
export interface VoiceRefusal {
  readonly code: number;
  /** Whether the client did something wrong. */
  readonly isDeserved: boolean;
}
