import { expect, test } from 'vitest';
import { commandLines, fitting } from '../../../../src/sandbox/page/client/compose/command-line.ts';
import type { PageCommand, PageCommandOption } from '../../../../src/sandbox/page/use-views.ts';

const SUBCOMMAND = 1;

function subcommand(name: string): PageCommandOption {
  return {
    type: SUBCOMMAND,
    name,
    description: name,
    required: false,
    autocomplete: false,
    choices: [],
    min_value: null,
    max_value: null,
    min_length: null,
    max_length: null,
    channel_types: [],
    file_types: [],
    options: [],
  };
}

function command(name: string, ...subcommands: readonly string[]): PageCommand {
  const application = { id: '1', name: 'bot', bot: true, avatar_url: null, colour: '#5b3fd4' };
  const options = subcommands.map((each) => subcommand(each));
  return { id: name, application, kind: 'chat', name, description: name, options };
}

const LINES = commandLines([
  command('video-swap'),
  command('budget', 'settings', 'set'),
  command('use-video'),
  { ...command('Use in a swap'), kind: 'message' },
]);

function paths(typed: string): readonly string[] {
  return fitting(LINES, typed).map(({ path }) => path);
}

test('commands are listed in the order of their bot, subcommands one by one', () => {
  expect(paths('')).toEqual(['video-swap', 'budget settings', 'budget set', 'use-video']);
});

test('exact matches come first, then names that start with the text, then names that contain it', () => {
  expect(paths('budget set')).toEqual(['budget set', 'budget settings']);
  expect(paths('Video')).toEqual(['video-swap', 'use-video']);
  expect(paths('nothing')).toEqual([]);
});
