/** Discord's numbers for command types. */
export const COMMAND_TYPES = { chat: 1, user: 2, message: 3 } as const;

/** Discord's numbers for option types. */
export const OPTION_TYPES = {
  subcommand: 1,
  group: 2,
  string: 3,
  integer: 4,
  boolean: 5,
  user: 6,
  channel: 7,
  role: 8,
  mentionable: 9,
  number: 10,
  attachment: 11,
} as const;
