import type { JSX } from 'preact';
import type { ConsoleState, WireKey } from '../../console-wire.ts';
import type { ViewProps } from './view.ts';
import { LocalTime } from '../parts/local-time.tsx';
import { Badge, More, Rows, accountName } from '../parts/rows.tsx';
import type { Field } from '../dialog/question-form.tsx';
import { openDialog } from '../dialog/verb-dialog.tsx';

const HEADINGS = ['Key', 'Account', 'Requests a minute', 'Made', 'State', 'Actions'];

/** The API keys, without the keys' texts, which are shown only once. */
export function Keys({ state }: ViewProps): JSX.Element {
  return (
    <section>
      <div class="head">
        <h2>Keys</h2>
        <button type="button" class="primary" onClick={() => askKey(state)}>
          New key
        </button>
      </div>
      <Rows
        label="Keys"
        headings={HEADINGS}
        rows={state.keys.rows}
        idOf={({ id }) => id}
        empty="There is no key yet. Make one, and give it to the bot."
        cells={(key) => [
          <strong key="name">{key.name}</strong>,
          accountName(state, key.accountId),
          key.requestsPerMinute.toLocaleString('en-US'),
          <LocalTime key="made" at={key.createdAt} />,
          <KeyState key="state" apiKey={key} />,
          key.revokedAt === null ? <KeyActions key="actions" apiKey={key} /> : null,
        ]}
      />
      <More name="keys" page={state.keys} />
    </section>
  );
}

/** Opens the dialog for a new key. */
export function askKey(
  { accountNames, requestsPerMinute }: ConsoleState,
  accountId: string = accountNames[0]?.id ?? '',
): void {
  openDialog({
    title: 'New key',
    fields: [
      { name: 'name', label: 'Name', value: '', kind: 'text', hint: 'Such as who uses it.' },
      {
        name: 'accountId',
        label: 'Account that pays',
        value: accountId,
        kind: 'choice',
        choices: accountNames.map(({ id, name }) => [id, name]),
      },
      limitField(requestsPerMinute),
    ],
    action: 'Make the key',
    secret: 'This is the only time that this key is shown. Keep it where only its user reads it.',
    verb: (value) => ({
      verb: 'create_key',
      name: value('name'),
      accountId: value('accountId'),
      requestsPerMinute: value('requestsPerMinute'),
    }),
  });
}

function limitField(value: number): Field {
  return { name: 'requestsPerMinute', label: 'Requests a minute', value: String(value), kind: 'number' };
}

function KeyState({ apiKey: { revokedAt } }: { readonly apiKey: WireKey }): JSX.Element {
  if (revokedAt === null) return <Badge tone="good">works</Badge>;
  return (
    <>
      <Badge tone="quiet">revoked</Badge> <LocalTime at={revokedAt} />
    </>
  );
}

function KeyActions({ apiKey: { id, name, requestsPerMinute } }: { readonly apiKey: WireKey }): JSX.Element {
  const askLimit = (): void =>
    openDialog({
      title: `Requests of “${name}”`,
      fields: [limitField(requestsPerMinute)],
      action: 'Change',
      verb: (value) => ({ verb: 'limit_key', keyId: id, requestsPerMinute: value('requestsPerMinute') }),
    });
  const askRevocation = (): void =>
    openDialog({
      title: `Revoke “${name}”?`,
      text: 'Its next request is refused, and it never works again. Whoever uses it needs another key first.',
      fields: [],
      action: 'Revoke for good',
      isDanger: true,
      verb: () => ({ verb: 'revoke_key', keyId: id }),
    });
  return (
    <span class="actions">
      <button type="button" onClick={askLimit}>
        Limit<span class="hidden-visually"> of {name}</span>
      </button>
      <button type="button" class="careful" onClick={askRevocation}>
        Revoke<span class="hidden-visually"> {name}</span>
      </button>
    </span>
  );
}
