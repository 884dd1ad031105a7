#!/usr/bin/env node
import { constants } from 'node:os';
import { DeadlineError, systemClock, withDeadline } from './base/clock.ts';
import { ServiceError, systemErrorCode } from './base/errors.ts';
import { type Logger, createLogger } from './base/log.ts';
import { readEnvironment } from './bot/settings/read-environment.ts';
import { SettingsError } from './bot/settings/settings-error.ts';
import type { Role, RoleContext } from './program/roles/role.ts';

const ROLES: Readonly<Record<string, { readonly what: string; readonly load: () => Promise<Role> }>> = {
  start: {
    what: 'the bot, with a local stand-in for each counterpart that is not configured',
    load: async () => (await import('./program/roles/start.ts')).start,
  },
  register: {
    what: "publishes the bot's commands; --guild <id> for one server only",
    load: async () => (await import('./program/roles/register.ts')).register,
  },
  demo: {
    what: 'a scripted run through all features in the sandbox; --json for machines',
    load: async () => (await import('./program/roles/demo/demo.ts')).demo,
  },
  'media-server': {
    what: 'only the embedded media service',
    load: async () => (await import('./program/roles/media-server.ts')).mediaServer,
  },
  sandbox: {
    what: 'only the local Discord',
    load: async () => (await import('./program/roles/sandbox.ts')).sandbox,
  },
  console: {
    what: "the media service's administration: keys, balance, rates, switches; see console help",
    load: async () => (await import('./program/roles/console-role.ts')).consoleRole,
  },
  ledger: {
    what: 'ledger verify: computes the books again and reports every difference; --json for machines',
    load: async () => (await import('./program/roles/ledger.ts')).ledger,
  },
};

/** The time that the program has to finish its work after a stop signal. */
const DRAIN_MS = 9_000;

// The reader of the output can close it early, as `head` does.
process.stdout.on('error', (error) => process.exit(systemErrorCode(error) === 'EPIPE' ? 0 : 1));

const [roleName = 'help', ...args] = process.argv.slice(2);
await main(roleName, args);

async function main(name: string, roleArgs: readonly string[]): Promise<void> {
  const entry = Object.hasOwn(ROLES, name) ? ROLES[name] : undefined;
  if (!entry) {
    process.stdout.write(usage());
    process.exitCode = name === 'help' || name === '--help' ? 0 : 2;
    return;
  }
  try {
    await run(await entry.load(), roleArgs);
  } catch (error) {
    process.exitCode = 1;
    explain(error);
  }
  // Work that has not ended in time must not keep the process alive.
  process.exit();
}

async function run(role: Role, roleArgs: readonly string[]): Promise<void> {
  const settings = readEnvironment();
  const log = createLogger(settings.log.level);
  const stop = Promise.withResolvers<'SIGINT' | 'SIGTERM'>();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.resolve(signal));
  const context: RoleContext = {
    settings,
    log,
    args: roleArgs,
    print: (text) => void process.stdout.write(text),
    notify: (text) => void process.stderr.write(text),
    fail: (error) => stop.reject(error),
  };
  const running = await Promise.race([role(context), stop.promise]);
  if (!running) return;
  if (typeof running === 'string') {
    // A service that does not answer must not delay the exit. Exiting is safe even while the program is starting.
    log.info({ signal: running }, 'Stopped before it was ready');
    process.exitCode = 128 + constants.signals[running];
    return;
  }
  try {
    await stop.promise;
    log.info({}, 'Stopping');
  } finally {
    await drain(running, log);
  }
}

/** Disposes the role within the time that process supervisors allow. Unfinished work continues after the next start. */
async function drain(running: AsyncDisposable, log: Logger): Promise<void> {
  try {
    await withDeadline(systemClock, DRAIN_MS, async () => running[Symbol.asyncDispose]());
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error;
    log.warn({ limitMs: error.limitMs }, 'Stopped before all work was finished');
  }
}

/** Prints one line for an error that the operator can fix, and the stack for an error in the code. */
function explain(error: unknown): void {
  const lines = error instanceof SettingsError ? error.problems : undefined;
  const line = error instanceof ServiceError ? error.message : undefined;
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${lines?.join('\n') ?? line ?? trace}\n`);
}

function usage(): string {
  const roles = Object.entries(ROLES).map(([name, { what }]) => `  ${name.padEnd(14)}${what}`);
  return `masquerade <role>\n\n${roles.join('\n')}\n`;
}
