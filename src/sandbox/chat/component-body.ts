import { z } from 'zod';
import { SNOWFLAKE } from './snowflake.ts';

/** Discord's numbers for component types. */
export const COMPONENT_TYPES = {
  row: 1,
  button: 2,
  stringSelect: 3,
  textInput: 4,
  userSelect: 5,
  roleSelect: 6,
  mentionableSelect: 7,
  channelSelect: 8,
  section: 9,
  text: 10,
  thumbnail: 11,
  gallery: 12,
  file: 13,
  separator: 14,
  container: 17,
  label: 18,
  fileUpload: 19,
} as const;

/** A component as a client sends it. Its properties depend on `type`. */
export interface ComponentBody {
  readonly type: number;
  readonly id?: number | null | undefined;
  readonly custom_id?: string | null | undefined;
  readonly components?: readonly ComponentBody[] | undefined;
  readonly component?: ComponentBody | undefined;
  readonly accessory?: ComponentBody | undefined;
  readonly [property: string]: unknown;
}

const id = z.int().min(0).nullish();
const customId = z.string().min(1).max(100);
const emoji = z.strictObject({
  id: z.string().regex(SNOWFLAKE).nullish(),
  name: z.string().max(32).nullish(),
  animated: z.boolean().nullish(),
});
const mediaItem = z.strictObject({ url: z.string().min(1).max(2048) });

const buttonShape = { id, type: z.literal(2), label: z.string().max(80).nullish(), emoji: emoji.nullish() };
const button = z
  .discriminatedUnion('style', [
    z.strictObject({
      ...buttonShape,
      style: z.literal([1, 2, 3, 4]),
      custom_id: customId,
      disabled: z.boolean().nullish(),
    }),
    z.strictObject({
      ...buttonShape,
      style: z.literal(5),
      url: z.url({ protocol: /^(https?|discord)$/ }).max(512),
      disabled: z.boolean().nullish(),
    }),
  ])
  .refine((value) => Boolean(value.label) || Boolean(value.emoji), {
    message: 'A button must have a label or an emoji',
    params: { code: 'BUTTON_COMPONENT_LABEL_OR_EMOJI_REQUIRED' },
  });

const selectShape = {
  id,
  custom_id: customId,
  placeholder: z.string().max(150).nullish(),
  min_values: z.int().min(0).max(25).nullish(),
  max_values: z.int().min(1).max(25).nullish(),
  disabled: z.boolean().nullish(),
  required: z.boolean().nullish(),
};
const selectOption = z.strictObject({
  label: z.string().min(1).max(100),
  value: z.string().min(1).max(100),
  description: z.string().max(100).nullish(),
  emoji: emoji.nullish(),
  default: z.boolean().nullish(),
});
const stringSelect = z.strictObject({
  ...selectShape,
  type: z.literal(3),
  options: z.array(selectOption).min(1).max(25),
});
const entitySelect = z.strictObject({
  ...selectShape,
  type: z.literal([5, 6, 7, 8]),
  default_values: z.array(z.strictObject({ id: z.string().regex(SNOWFLAKE), type: z.string() })).nullish(),
  channel_types: z.array(z.int()).nullish(),
});

const row = z
  .strictObject({
    id,
    type: z.literal(1),
    components: z
      .array(z.union([button, stringSelect, entitySelect]))
      .min(1)
      .max(5),
  })
  .refine((value) => value.components.length === 1 || value.components.every((inner) => inner.type === 2), {
    message: 'A row holds up to five buttons or one select',
    params: { code: 'COMPONENT_LAYOUT_WIDTH_EXCEEDED' },
  });

const text = z.strictObject({ id, type: z.literal(10), content: z.string().min(1).max(4000) });
const thumbnail = z.strictObject({
  id,
  type: z.literal(11),
  media: mediaItem,
  description: z.string().max(1024).nullish(),
  spoiler: z.boolean().nullish(),
});
const section = z.strictObject({
  id,
  type: z.literal(9),
  components: z.array(text).min(1).max(3),
  accessory: z.union([thumbnail, button]),
});
const gallery = z.strictObject({
  id,
  type: z.literal(12),
  items: z
    .array(
      z.strictObject({
        media: mediaItem,
        description: z.string().max(1024).nullish(),
        spoiler: z.boolean().nullish(),
      }),
    )
    .min(1)
    .max(10),
});
const file = z.strictObject({
  id,
  type: z.literal(13),
  file: z.strictObject({ url: z.string().regex(/^attachment:\/\/.+$/) }),
  spoiler: z.boolean().nullish(),
});
const separator = z.strictObject({
  id,
  type: z.literal(14),
  divider: z.boolean().nullish(),
  spacing: z.literal([1, 2]).nullish(),
});
const container = z.strictObject({
  id,
  type: z.literal(17),
  accent_color: z.int().min(0).max(0xff_ff_ff).nullish(),
  spoiler: z.boolean().nullish(),
  components: z
    .array(z.discriminatedUnion('type', [row, text, section, gallery, file, separator]))
    .min(1)
    .max(40),
});

/** A message component of either version. The message's flags determine which version is allowed. */
export const messageComponent: z.ZodType<ComponentBody> = z.discriminatedUnion('type', [
  row,
  text,
  section,
  gallery,
  file,
  separator,
  container,
]);

const textInputShape = {
  id,
  type: z.literal(4),
  custom_id: customId,
  style: z.literal([1, 2]),
  min_length: z.int().min(0).max(4000).nullish(),
  max_length: z.int().min(1).max(4000).nullish(),
  required: z.boolean().nullish(),
  value: z.string().max(4000).nullish(),
  placeholder: z.string().max(100).nullish(),
};
const fileUpload = z.strictObject({
  id,
  type: z.literal(19),
  custom_id: customId,
  min_values: z.int().min(0).max(10).nullish(),
  max_values: z.int().min(1).max(10).nullish(),
  required: z.boolean().nullish(),
  file_types: z.array(z.string()).nullish(),
});
const label = z.strictObject({
  id,
  type: z.literal(18),
  label: z.string().min(1).max(45),
  description: z.string().max(100).nullish(),
  component: z.union([z.strictObject(textInputShape), stringSelect, entitySelect, fileUpload]),
});
const modalRow = z.strictObject({
  id,
  type: z.literal(1),
  components: z.array(z.strictObject({ ...textInputShape, label: z.string().min(1).max(45) })).length(1),
});

/** A form as a client sends it. */
export interface ModalBody {
  readonly custom_id: string;
  readonly title: string;
  readonly components: readonly ComponentBody[];
}

/** Discord's limits for a form. */
export const modalBody: z.ZodType<ModalBody> = z.strictObject({
  custom_id: customId,
  title: z.string().min(1).max(45),
  components: z
    .array(z.discriminatedUnion('type', [modalRow, label, text]))
    .min(1)
    .max(5),
});
