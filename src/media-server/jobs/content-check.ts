/**
 * Checks one input or output file before it is used or published. A host application can provide its own check. A
 * rejection ends the job as `content_rejected`. The default accepts everything.
 */
export type CheckContent = (path: string, signal: AbortSignal) => Promise<'accepted' | 'rejected'>;

export const acceptAllContent: CheckContent = async () => 'accepted';
