/** The IPTC terms that state how much of a picture or clip a model generated. */
export type SourceType =
  /** A model generated everything that is visible. */
  | 'trainedAlgorithmicMedia'
  /** A model generated parts of a recording. */
  | 'compositeWithTrainedAlgorithmicMedia';

export const SOURCE_TYPES: readonly SourceType[] = [
  'trainedAlgorithmicMedia',
  'compositeWithTrainedAlgorithmicMedia',
];

const VOCABULARY = 'http://cv.iptc.org/newscodes/digitalsourcetype/';

/** Returns the term as it is written in a file's metadata. */
export function sourceTypeUri(type: SourceType): string {
  return `${VOCABULARY}${type}`;
}
