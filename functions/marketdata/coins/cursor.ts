import { invalidParameter } from '../../../shared/http/middleware/input.ts';

/** A place in the list of one version of the registry, as a text that callers hand back. */
export function cursorOf(position: number, version: string): string {
  return Buffer.from(`${version}:${position}`).toString('base64url');
}

/** Throws 400 for a text that is no cursor, and for one of another version, whose places are others. */
export function positionOf(cursor: string, version: string): number {
  const [, ofVersion, position] =
    /^([0-9a-f]+):(\d{1,9})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (position === undefined) throw invalidParameter('cursor', cursor, 'nextCursor of the page before');
  if (ofVersion !== version) {
    const advice = 'the registry has changed meanwhile: begin again without a cursor';
    throw invalidParameter('cursor', cursor, advice);
  }
  return Number(position);
}
