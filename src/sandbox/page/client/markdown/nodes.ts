/** An element within a line. */
export type Inline =
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'break' }
  | { readonly is: Wrapping; readonly inner: readonly Inline[] }
  | { readonly is: 'code'; readonly text: string }
  | { readonly is: 'link'; readonly url: string; readonly inner: readonly Inline[] }
  | { readonly is: 'user' | 'role' | 'channel'; readonly id: string }
  | { readonly is: 'everyone'; readonly text: string }
  | { readonly is: 'command'; readonly name: string }
  | { readonly is: 'emoji'; readonly name: string }
  | { readonly is: 'time'; readonly seconds: number; readonly style: string };

type Wrapping = 'bold' | 'italics' | 'underlined' | 'struck' | 'spoiler';

/** An element that consists of whole lines. */
export type Block =
  | { readonly is: 'paragraph' | 'small'; readonly inner: readonly Inline[] }
  | { readonly is: 'heading'; readonly level: 1 | 2 | 3; readonly inner: readonly Inline[] }
  | { readonly is: 'quote'; readonly blocks: readonly Block[] }
  | { readonly is: 'code'; readonly text: string }
  | {
      readonly is: 'list';
      readonly ordered: boolean;
      readonly start: number;
      readonly items: readonly (readonly Inline[])[];
    };
