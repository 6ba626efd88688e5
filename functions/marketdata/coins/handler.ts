import { endpoint } from '../../../shared/http/endpoint.ts';
import { invalidParameter } from '../../../shared/http/middleware/input.ts';
import { answeringRegistry } from '../../../shared/registry/container.ts';
import { route } from './route.ts';

export const handler = endpoint(route, async (input, { headers, environment }) => {
  const { symbol, active, ranked, type, limit, cursor } = input;
  const registry = await answeringRegistry(headers, environment);
  const { version } = registry.manifest;
  const position = cursor === undefined ? 0 : positionOf(cursor, version);
  const filter = { symbol, activeOnly: active, ranked, type };
  const { total, entries, next } = registry.page(filter, position, limit);
  return {
    count: entries.length,
    total,
    results: [...entries],
    nextCursor: next === null ? null : cursorOf(next, version),
  };
});

/** A position in the list of one registry version, as an opaque text for callers. */
function cursorOf(position: number, version: string): string {
  return Buffer.from(`${version}:${position}`).toString('base64url');
}

/** Throws 400 for a malformed cursor, and for a cursor of another version, where positions differ. */
function positionOf(cursor: string, version: string): number {
  const [, ofVersion, position] =
    /^([0-9a-f]+):(\d{1,9})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (position === undefined) throw invalidParameter('cursor', cursor, 'nextCursor of the page before');
  if (ofVersion !== version) {
    const advice = 'the registry has changed meanwhile: begin again without a cursor';
    throw invalidParameter('cursor', cursor, advice);
  }
  return Number(position);
}
