/** GUILD_MEMBERS, GUILD_PRESENCES and MESSAGE_CONTENT. */
export const PRIVILEGED_INTENTS: number = (1 << 1) | (1 << 8) | (1 << 15);

const KNOWN_INTENTS = 0b11_0011_0001_1111_1111_1111_1111;

/** Whether `intents` contains only bits that Discord defines. */
export function intentsAreValid(intents: number): boolean {
  return (intents & ~KNOWN_INTENTS) === 0 && intents >= 0 && intents < 2 ** 26;
}
