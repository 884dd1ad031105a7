import type { ComponentChildren } from 'preact';
import type { PageComponent, PageMessage } from '../../message-views.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { Spoiler } from '../markdown/spoiler.tsx';
import { colourText } from './colour-text.ts';
import { ComponentButton } from './component-button.tsx';
import { ComponentSelect } from './component-select.tsx';
import { OneFile } from './message-files.tsx';
import { Picture } from './picture.tsx';

interface ComponentsProps {
  readonly components: readonly PageComponent[];
  readonly message: PageMessage;
}

const BUTTON = 2;

/** The components of a message, one below the other. */
export function Components({ components, message }: ComponentsProps) {
  return components.map((component, index) => (
    <ComponentView key={keyOf(component, index)} component={component} message={message} />
  ));
}

/** A button keeps its key when the bot changes the message, so that it does not lose keyboard focus. */
function keyOf({ type, custom_id: customId }: PageComponent, index: number): string | number {
  return type === BUTTON ? index : (customId ?? index);
}

interface ComponentProps {
  readonly component: PageComponent;
  readonly message: PageMessage;
}

function ComponentView({ component, message }: ComponentProps) {
  const inner = component.components ?? [];
  switch (component.type) {
    case 1:
      return (
        <div class="row">
          <Components components={inner} message={message} />
        </div>
      );
    case 2:
      return <ComponentButton component={component} message={message} />;
    case 9:
      return (
        <div class="section">
          <div class="section-words">
            <Components components={inner} message={message} />
          </div>
          {component.accessory && <ComponentView component={component.accessory} message={message} />}
        </div>
      );
    case 10:
      return <Markdown text={component.content ?? ''} />;
    case 11:
      return (
        <div class="thumbnail">
          <Hidden isHidden={component.spoiler}>
            <Picture url={component.media?.url ?? ''} alt={component.description ?? 'Picture'} />
          </Hidden>
        </div>
      );
    case 12:
      return <Gallery component={component} message={message} />;
    case 13:
      return <FileView component={component} message={message} />;
    case 14:
      return <Separator component={component} />;
    case 17:
      return <Container component={component} message={message} />;
    case 3:
    case 5:
    case 6:
    case 7:
    case 8:
      // With this key, a select that the bot has changed no longer shows the member's earlier choice.
      return <ComponentSelect key={JSON.stringify(component)} component={component} message={message} />;
    default:
      return null;
  }
}

function Container({ component, message }: ComponentProps) {
  const card = (
    <article class="card container" style={{ borderLeftColor: colourText(component.accent_color) }}>
      <Components components={component.components ?? []} message={message} />
    </article>
  );
  return <Hidden isHidden={component.spoiler}>{card}</Hidden>;
}

function Separator({ component }: { readonly component: PageComponent }) {
  const kind = component.spacing === 2 ? 'separator large' : 'separator';
  return component.divider === false ? <div class={kind} /> : <hr class={kind} />;
}

function Gallery({ component: { items = [] }, message }: ComponentProps) {
  return (
    <div class={items.length > 1 ? 'gallery' : 'gallery single'}>
      {items.map(({ media, description, spoiler }, index) => {
        const file = fileAt(message, media.url);
        const name = description ?? file?.filename ?? 'Picture';
        const isClip = file?.content_type.startsWith('video/');
        const { width, height } = file ?? {};
        return (
          <Hidden key={index} isHidden={spoiler}>
            {file && isClip ? (
              <OneFile file={file} />
            ) : (
              <Picture url={media.url} alt={name} {...(width && height ? { width, height } : {})} />
            )}
          </Hidden>
        );
      })}
    </div>
  );
}

function FileView({ component: { file: named, spoiler }, message }: ComponentProps) {
  const url = named?.url ?? '';
  const filename = named?.name ?? 'File';
  const file = fileAt(message, url) ?? {
    url,
    filename,
    content_type: '',
    size: named?.size ?? 0,
    description: null,
  };
  return (
    <Hidden isHidden={spoiler}>
      <OneFile file={file} />
    </Hidden>
  );
}

function fileAt({ attachments }: PageMessage, url: string): PageMessage['attachments'][number] | undefined {
  const pathOf = (link: string): string => link.split('?', 1)[0] ?? '';
  return attachments.find((file) => pathOf(file.url) === pathOf(url));
}

interface HiddenProps {
  readonly isHidden: boolean | undefined;
  readonly children: ComponentChildren;
}

function Hidden({ isHidden = false, children }: HiddenProps) {
  return isHidden ? <Spoiler isBlock>{children}</Spoiler> : <>{children}</>;
}
