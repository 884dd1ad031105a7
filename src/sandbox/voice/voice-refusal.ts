/** The reason why a client is rejected. */
export interface VoiceRefusal {
  readonly code: number;
  /** Whether the client itself caused this by a mistake. */
  readonly isDeserved: boolean;
}
