import { hash, timingSafeEqual } from 'node:crypto';

/** The one value of a header, in any spelling of its name; empty if there is none or more than one. */
export function onlyHeader(
  headers: Readonly<Record<string, string | undefined>> | undefined,
  name: string,
): string {
  let found: string | undefined;
  for (const key in headers) {
    const value = headers[key];
    if (value === undefined || key.length !== name.length || key.toLowerCase() !== name) continue;
    if (found !== undefined) return '';
    found = value;
  }
  return found ?? '';
}

/** Compares digests: the time taken tells neither a difference nor the length. Nothing equals an unset secret. */
export function secretComparison(): (given: string, expected: string | undefined) => boolean {
  // The secret hardly ever changes, and its digest is a tenth of a warm request.
  let configured: { readonly secret: string; readonly digest: Buffer } | undefined;
  return (given, expected) => {
    if (!expected) return false;
    if (configured?.secret !== expected) configured = { secret: expected, digest: digest(expected) };
    return timingSafeEqual(digest(given), configured.digest);
  };
}

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');
