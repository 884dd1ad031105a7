/** The words of the IPTC for how much of a picture or clip a model made. */
export type SourceType =
  /** All that is seen came out of a model. */
  | 'trainedAlgorithmicMedia'
  /** A recording of which a model made parts. */
  | 'compositeWithTrainedAlgorithmicMedia';

export const SOURCE_TYPES: readonly SourceType[] = [
  'trainedAlgorithmicMedia',
  'compositeWithTrainedAlgorithmicMedia',
];

const VOCABULARY = 'http://cv.iptc.org/newscodes/digitalsourcetype/';

/** The term as it stands in a file's metadata. */
export function sourceTypeUri(type: SourceType): string {
  return `${VOCABULARY}${type}`;
}
