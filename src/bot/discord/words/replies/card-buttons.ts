import { type APIButtonComponent, ButtonStyle, ComponentType } from 'discord.js';
import type { FailureCard, PriceCard, ProgressCard, ResultCard } from '../../../jobs/cards.ts';
import { button, buttonRow } from './buttons.ts';
import type { ComponentRow } from '../../wire/message-calls.ts';
import { aboutText } from '../texts.ts';

/** The actions of the buttons on job cards; in the custom id, the action is followed by the job's id. */
export const CARD_ACTIONS = {
  retry: 'retry',
  use: 'use',
  delete: 'delete',
  report: 'report',
  cancel: 'cancel',
  confirm: 'confirm',
  /** In the custom id, this action is followed by the id of the user whose earlier charge must be reviewed. */
  overrun: 'overrun',
} as const;

/** Returns the Cancel button while the job can still be cancelled. */
export function progressButtons(jobId: string, { stage }: Pick<ProgressCard, 'stage'>): ComponentRow[] {
  if (stage === 'cancelling') return [];
  return [buttonRow(button('secondary', 'Cancel', CARD_ACTIONS.cancel, jobId))];
}

/**
 * Returns the buttons for budget managers: one confirms that they reviewed the member's earlier charge, so that the
 * job continues; the other cancels the job.
 */
export function overrunButtons(jobId: string, userId: string): ComponentRow[] {
  return [
    buttonRow(
      button('success', 'Reviewed: go on', CARD_ACTIONS.overrun, userId),
      button('secondary', 'Cancel', CARD_ACTIONS.cancel, jobId),
    ),
  ];
}

/** Returns the buttons that confirm the price of a job, or cancel it. */
export function priceButtons(jobId: string, { price }: Pick<PriceCard, 'price'>): ComponentRow[] {
  return [
    buttonRow(
      button('success', `Yes, ${aboutText(price)}`, CARD_ACTIONS.confirm, jobId),
      button('secondary', 'Cancel', CARD_ACTIONS.cancel, jobId),
    ),
  ];
}

/** Returns the buttons of a result. The first is a link to the full result, unless the result is attached unchanged. */
export function resultButtons(
  jobId: string,
  { file, isSmaller, link }: Pick<ResultCard, 'file' | 'isSmaller' | 'link'>,
): ComponentRow[] {
  const isWhole = file !== null && !isSmaller;
  const load: readonly APIButtonComponent[] =
    link === null || isWhole
      ? []
      : [
          {
            type: ComponentType.Button,
            style: ButtonStyle.Link,
            label: file === null ? 'Load the result' : 'Full quality',
            url: link.url,
          },
        ];
  return [
    buttonRow(
      ...load,
      button('secondary', 'Retry', CARD_ACTIONS.retry, jobId),
      button('secondary', 'Use as input', CARD_ACTIONS.use, jobId),
      button('secondary', 'Delete', CARD_ACTIONS.delete, jobId),
      button('secondary', 'Report', CARD_ACTIONS.report, jobId),
    ),
  ];
}

/** Returns the Retry button if another attempt with the same files may have a different outcome. */
export function failureButtons(jobId: string, { canRetry }: Pick<FailureCard, 'canRetry'>): ComponentRow[] {
  return canRetry ? [buttonRow(button('primary', 'Retry', CARD_ACTIONS.retry, jobId))] : [];
}
