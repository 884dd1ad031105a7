/** Returns the name of an option: `account` for `--account <id or name>`. */
export function optionName(option: string): string {
  return option.slice('--'.length).split(' ', 1)[0] ?? '';
}
