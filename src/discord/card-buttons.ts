import { type APIButtonComponent, ButtonStyle, ComponentType } from 'discord.js';
import type { FailureCard, ProgressCard, ResultCard } from '../jobs/ports.ts';
import { customId } from './custom-id.ts';
import type { ComponentRow } from './message-calls.ts';

/** The actions of the buttons on job cards; the job's id follows in the custom id. */
export const CARD_ACTIONS = {
  retry: 'retry',
  use: 'use',
  delete: 'delete',
  report: 'report',
  cancel: 'cancel',
} as const;

type Button = Extract<APIButtonComponent, { custom_id: string }>;

/** While it can still be withdrawn: Cancel. */
export function progressButtons(jobId: string, { stage }: ProgressCard): ComponentRow[] {
  if (stage === 'cancelling') return [];
  return [row([button(CARD_ACTIONS.cancel, jobId, 'Cancel', ButtonStyle.Secondary)])];
}

/** What can be done with a result; first of all how to get it, where it is not attached as it is. */
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
    row([
      ...load,
      button(CARD_ACTIONS.retry, jobId, 'Retry', ButtonStyle.Secondary),
      button(CARD_ACTIONS.use, jobId, 'Use as input', ButtonStyle.Secondary),
      button(CARD_ACTIONS.delete, jobId, 'Delete', ButtonStyle.Secondary),
      button(CARD_ACTIONS.report, jobId, 'Report', ButtonStyle.Secondary),
    ]),
  ];
}

/** Retry, where another try with the same files may come to something else. */
export function failureButtons(jobId: string, { canRetry }: FailureCard): ComponentRow[] {
  return canRetry ? [row([button(CARD_ACTIONS.retry, jobId, 'Retry', ButtonStyle.Primary)])] : [];
}

/** A row of up to five buttons. */
export function row(buttons: readonly APIButtonComponent[]): ComponentRow {
  return { type: ComponentType.ActionRow, components: [...buttons] };
}

/** A button that works for as long as its message is there. */
export function button(
  action: string,
  args: string | readonly string[],
  label: string,
  style: Button['style'],
): APIButtonComponent {
  const id = customId(action, ...(typeof args === 'string' ? [args] : args));
  return { type: ComponentType.Button, style, label, custom_id: id };
}
