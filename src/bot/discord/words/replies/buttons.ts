import {
  type APIButtonComponent,
  type APIButtonComponentWithCustomId,
  ButtonStyle,
  ComponentType,
} from 'discord.js';
import { customId } from './custom-id.ts';
import type { ComponentRow } from '../../wire/message-calls.ts';

type Style = 'primary' | 'secondary' | 'success' | 'danger';

const STYLES: Readonly<Record<Style, APIButtonComponentWithCustomId['style']>> = {
  primary: ButtonStyle.Primary,
  secondary: ButtonStyle.Secondary,
  success: ButtonStyle.Success,
  danger: ButtonStyle.Danger,
};

/** Returns a button. It works as long as its message exists, because its custom id contains all of its data. */
export function button(
  style: Style,
  label: string,
  action: string,
  ...args: readonly string[]
): APIButtonComponentWithCustomId {
  return {
    type: ComponentType.Button,
    style: STYLES[style],
    label,
    custom_id: customId(action, ...args),
  };
}

/** Returns a row of up to five buttons. */
export function buttonRow(...buttons: readonly APIButtonComponent[]): ComponentRow {
  return { type: ComponentType.ActionRow, components: [...buttons] };
}
