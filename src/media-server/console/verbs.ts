import { unreachable } from '../../base/errors.ts';
import { formatUsd } from '../../base/money.ts';
import type { MediaAdmin, RateInForce } from '../admin.ts';
import type { AccountRow } from '../store/accounts.ts';
import type { ApiKeyRow } from '../store/api-keys.ts';
import { ConsoleRefusal, refuseField } from './console-refusal.ts';
import type { ConsoleAnswer, ConsoleVerb } from './console-wire.ts';
import { readAmount, readLabel, readNumber } from './values.ts';

const OVERLAP_MINUTES_MAX = 7 * 24 * 60;
const MINUTE_MS = 60_000;

type VerbOf<Name extends ConsoleVerb['verb']> = Extract<ConsoleVerb, { verb: Name }>;

/** Does what was asked, as the `console` role does. Throws `ConsoleRefusal`, and then nothing was changed. */
export function runVerb(admin: MediaAdmin, verb: ConsoleVerb): ConsoleAnswer {
  switch (verb.verb) {
    case 'create_account':
      return createAccount(admin, verb);
    case 'top_up':
      return topUp(admin, verb);
    case 'create_key':
      return createKey(admin, verb);
    case 'limit_key':
      return limitKey(admin, verb);
    case 'revoke_key':
      return revokeKey(admin, verb);
    case 'show_secret':
      return { done: 'Webhooks are signed with it.', secret: admin.signingSecret(account(admin, verb).id) };
    case 'rotate_secret':
      return rotateSecret(admin, verb);
    case 'set_rate':
      return setRate(admin, verb);
    case 'reset_rate':
      return resetRate(admin, verb);
    case 'switch_capability':
      return switchCapability(admin, verb);
    case 'set_ceiling':
      return setCeiling(admin, verb);
    case 'cancel_job':
      return cancelJob(admin, verb);
    default:
      return unreachable(verb);
  }
}

function createAccount(admin: MediaAdmin, verb: VerbOf<'create_account'>): ConsoleAnswer {
  const name = readLabel(verb.name);
  admin.createAccount(name);
  return { done: `The account “${name}” is open. Top it up, then make a key for it.` };
}

function topUp(admin: MediaAdmin, verb: VerbOf<'top_up'>): ConsoleAnswer {
  const { id, name } = account(admin, verb);
  const amount = readAmount(verb.dollars, 'dollars');
  if (amount === 0) throw refuseField('dollars', 'Please write an amount above 0.');
  admin.topUp(amount, id);
  return { done: `“${name}” has ${formatUsd(amount)} more.` };
}

function createKey(admin: MediaAdmin, verb: VerbOf<'create_key'>): ConsoleAnswer {
  const { id: accountId } = account(admin, verb);
  const name = readLabel(verb.name);
  const requestsPerMinute = readNumber(verb.requestsPerMinute, 'requestsPerMinute');
  const { text } = admin.createKey({ accountId, name, requestsPerMinute });
  return { done: `The key “${name}” works from now on.`, secret: text };
}

function limitKey(admin: MediaAdmin, verb: VerbOf<'limit_key'>): ConsoleAnswer {
  const { id, name } = key(admin, verb);
  const limit = readNumber(verb.requestsPerMinute, 'requestsPerMinute');
  admin.setRequestsPerMinute(id, limit);
  return { done: `“${name}” may make ${limit.toLocaleString('en-US')} requests a minute.` };
}

function revokeKey(admin: MediaAdmin, verb: VerbOf<'revoke_key'>): ConsoleAnswer {
  const { id, name } = key(admin, verb);
  if (!admin.revokeKey(id)) throw new ConsoleRefusal('refused', `“${name}” was revoked already.`);
  return { done: `“${name}” is revoked: its next request is refused.` };
}

function rotateSecret(admin: MediaAdmin, verb: VerbOf<'rotate_secret'>): ConsoleAnswer {
  const { id: accountId } = account(admin, verb);
  const minutes = readNumber(verb.overlapMinutes, 'overlapMinutes', 0, OVERLAP_MINUTES_MAX);
  const secret = admin.rotateSigningSecret({ accountId, overlapMs: minutes * MINUTE_MS });
  const old = minutes === 0 ? 'signs no more' : `signs along for ${minutes} minutes`;
  return { done: `Webhooks are signed with the new secret; the old one ${old}.`, secret };
}

function setRate(admin: MediaAdmin, verb: VerbOf<'set_rate'>): ConsoleAnswer {
  const { feature, isOfSession } = rate(admin, verb);
  const owner = verb.accountId === null ? undefined : account(admin, { accountId: verb.accountId });
  const amount = (field: 'minimum' | 'hold'): object =>
    verb[field] === null ? {} : { [field]: readAmount(verb[field], field) };
  if (isOfSession && (verb.minimum !== null || verb.hold !== null)) {
    throw refuseField('minimum', 'A session has only a rate, per minute, and reserves by its length.');
  }
  const changes = { rate: readAmount(verb.rate, 'rate'), ...amount('minimum'), ...amount('hold') };
  admin.changeRate(feature, changes, owner?.id);
  const whose = owner ? ` for “${owner.name}”` : '';
  return { done: `The new rate of ${feature}${whose} counts from the next job on.` };
}

function resetRate(admin: MediaAdmin, verb: VerbOf<'reset_rate'>): ConsoleAnswer {
  const { feature } = rate(admin, verb);
  const { id, name } = account(admin, verb);
  if (!admin.resetRate(feature, id)) {
    throw new ConsoleRefusal('refused', `“${name}” has no rate of its own for ${feature}.`);
  }
  return { done: `The public rate of ${feature} binds “${name}” again.` };
}

function switchCapability(admin: MediaAdmin, verb: VerbOf<'switch_capability'>): ConsoleAnswer {
  const { feature } = rate(admin, verb);
  admin.switchCapability(feature, verb.enabled);
  const now = verb.enabled ? 'is offered' : 'takes no new work; what is under way goes on';
  return { done: `${feature} ${now}.` };
}

function setCeiling(admin: MediaAdmin, verb: VerbOf<'set_ceiling'>): ConsoleAnswer {
  const ceiling = admin.listCeilings().find(({ name }) => name === verb.ceiling);
  if (!ceiling) throw new ConsoleRefusal('refused', 'There is no such ceiling. Please reload the page.');
  const value = readNumber(verb.value, 'value');
  admin.setCeiling(value, ceiling.name);
  return { done: `At most ${value.toLocaleString('en-US')} ${ceiling.what}.` };
}

function cancelJob(admin: MediaAdmin, verb: VerbOf<'cancel_job'>): ConsoleAnswer {
  const job = admin.findJob(verb.jobId);
  if (!job) throw new ConsoleRefusal('refused', 'There is no such job.');
  if (!admin.cancelJob(job.id)) throw new ConsoleRefusal('refused', 'This job had ended already.');
  return { done: `The job is cancelled; ${formatUsd(job.hold)} went back.` };
}

function account(admin: MediaAdmin, { accountId }: { readonly accountId: string }): AccountRow {
  const found = admin.listAccounts().find(({ id }) => id === accountId);
  if (found) return found;
  throw refuseField('accountId', 'Please choose an account.');
}

function key(admin: MediaAdmin, { keyId }: { readonly keyId: string }): ApiKeyRow {
  const found = admin.listKeys().find(({ id }) => id === keyId);
  if (found) return found;
  throw new ConsoleRefusal('refused', 'There is no such key. Please reload the page.');
}

function rate(admin: MediaAdmin, { capability }: { readonly capability: string }): RateInForce {
  const found = admin.listRates().find(({ feature }) => feature === capability);
  if (found) return found;
  throw refuseField('capability', 'Please choose a capability.');
}
